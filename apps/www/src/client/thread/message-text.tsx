import type { Thread } from '@arbe/sdk'
import { lexWithMentions, type MentionMember, type MentionToken } from '@arbe/sdk/mentions'
import type { Token } from 'marked'
import { type ReactNode, useMemo } from 'react'
import { Markdown } from './markdown.tsx'
import type { Named } from './thread-item.ts'

export interface MessageTextProps {
  readonly text: string
  readonly thread: Thread
  /** Undefined while the text is not stored: the thread's members are what it can name. */
  readonly named: Named | undefined
}

/**
 * Markdown with its mentions as chips. The parser is the server's own, and a stored text is read with the handles of its day: what
 * asked somebody when it was sent is a chip for ever, and nothing else becomes one.
 */
export function MessageText({ text, thread, named }: MessageTextProps) {
  const tokens = useMemo(
    () => lexWithMentions(text, rosterOf(thread, named)),
    [text, thread, named],
  )
  return (
    <Markdown tokens={tokens} custom={(token, key) => drawName(token, key, { thread, named })} />
  )
}

function rosterOf(thread: Thread, named: Named | undefined): readonly MentionMember<string>[] {
  const members = [...thread.bots, ...thread.people]
  if (named === undefined) return members
  return named.names ?? [...members, ...thread.formerHandles]
}

type Reading = Pick<MessageTextProps, 'thread' | 'named'>

function drawName(token: Token, key: string, { thread, named }: Reading): ReactNode {
  if (!isMention(token)) return token.raw
  const { span, raw } = token
  if (span.kind === 'everyone')
    return named?.everyone === false ? raw : <Chip key={key} text={raw} written={raw} />
  if (named !== undefined && !named.mentions.includes(span.id)) return raw
  const now = [...thread.bots, ...thread.people].find(({ id }) => id === span.id)?.handle
  const isRenamed = now !== undefined && now !== span.handle
  return <Chip key={key} text={isRenamed ? `@${now}` : raw} written={raw} />
}

function Chip({ text, written }: { readonly text: string; readonly written: string }) {
  return (
    <span className="mention" title={text === written ? undefined : `Written as ${written}`}>
      {text}
    </span>
  )
}

function isMention(token: Token | MentionToken<string>): token is MentionToken<string> {
  return token.type === 'mention'
}
