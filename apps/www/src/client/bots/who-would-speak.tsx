import type { Bot, ThreadPage } from '@arbe/sdk'
import { useCallback, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { Field } from '../shell/field.tsx'
import { Trouble } from '../shell/trouble.tsx'
import { useFetched } from '../shell/use-fetched.ts'
import type { BotDraft } from './bot-draft.ts'
import { ThreadChoice } from './thread-choice.tsx'
import { TrialAnswer } from './trial-answer.tsx'
import { trialOf } from './trial-of.ts'

interface WhoWouldSpeakProps {
  readonly bot: Bot
  /** As the form stands, saved or not. */
  readonly draft: BotDraft
}

/** Tries a text out in a thread of the bot: nothing is said, and nothing is kept. */
export function WhoWouldSpeak({ bot, draft }: WhoWouldSpeakProps) {
  const { client } = useStore()
  const read = useCallback(() => client.threads.list({ bot: bot.id }), [client, bot.id])
  const page = useFetched(read)
  if (page.status === 'failed') return <Trouble message={page.message} />
  if (page.status === 'loading') return null
  return (
    <section className="border-line mx-auto max-w-2xl border-t p-5">
      <h2 className="mb-3 font-semibold">Who would speak?</h2>
      {page.value.threads.length === 0 ? (
        <p className="text-soft text-sm">
          Once {bot.name} is in a thread of yours, texts can be tried out here.
        </p>
      ) : (
        <Trial bot={bot} draft={draft} first={page.value} />
      )}
    </section>
  )
}

function Trial({ bot, draft, first }: WhoWouldSpeakProps & { readonly first: ThreadPage }) {
  const [threadId, setThread] = useState(first.threads[0]?.id ?? '')
  const [text, setText] = useState('')
  const question = { threadId, text, bot: trialOf(bot, draft) }
  return (
    <div className="space-y-3">
      <ThreadChoice bot={bot.id} first={first} value={threadId} onChange={setThread} />
      <Field
        label="If this were said"
        hint="Nothing is said. What the form holds counts, saved or not."
      >
        <textarea
          className="field"
          rows={2}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
      {/* A changed question is another one: what was answered, priced or asked before is not about it. */}
      <TrialAnswer key={JSON.stringify(question)} question={question} />
    </div>
  )
}
