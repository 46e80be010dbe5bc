import { lexWithMentions, type MentionToken } from '@arbe/sdk/mentions'
import type { Thread } from '@arbe/sdk'
import type { Token } from 'marked'
import { type ReactNode, useMemo } from 'react'
import { Markdown } from './markdown.tsx'

export interface MessageTextProps {
  readonly text: string
  readonly thread: Thread
  /** Ids that the server found in the text: only these are chips. Undefined while it is not stored. */
  readonly mentions: readonly string[] | undefined
}

/** Markdown with its mentions as chips. The parser is the server's own, so a chip is exactly what wakes. */
export function MessageText({ text, thread, mentions }: MessageTextProps) {
  const tokens = useMemo(
    () => lexWithMentions(text, [...thread.bots, ...thread.people]),
    [text, thread],
  )
  return <Markdown tokens={tokens} custom={(token, key) => chip(token, key, mentions)} />
}

function chip(token: Token, key: string, mentions: readonly string[] | undefined): ReactNode {
  if (!isMention(token)) return token.raw
  const { span } = token
  const wakes = span.kind === 'everyone' || mentions === undefined || mentions.includes(span.id)
  return wakes ? (
    <span key={key} className="mention">
      {token.raw}
    </span>
  ) : (
    token.raw
  )
}

function isMention(token: Token | MentionToken<string>): token is MentionToken<string> {
  return token.type === 'mention'
}
