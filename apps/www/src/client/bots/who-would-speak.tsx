import type { Bot, ThreadSummary, WhoWouldSpeak as Answer } from '@arbe/sdk'
import { type ReactNode, useCallback, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { Field } from '../shell/field.tsx'
import { messageOf } from '../shell/message-of.ts'
import { Trouble } from '../shell/trouble.tsx'
import { useFetched } from '../shell/use-fetched.ts'
import type { BotDraft } from './bot-draft.ts'
import { trialOf } from './trial-of.ts'
import { WouldSpeak } from './would-speak.tsx'

interface WhoWouldSpeakProps {
  readonly bot: Bot
  /** As the form stands, saved or not. */
  readonly draft: BotDraft
}

/** Tries a text out in a thread of the bot: nothing is said, and nothing is kept. */
export function WhoWouldSpeak({ bot, draft }: WhoWouldSpeakProps) {
  const { client } = useStore()
  const read = useCallback(
    async () => (await client.threads.list({ bot: bot.id })).threads,
    [client, bot.id],
  )
  const threads = useFetched(read)
  if (threads.status === 'failed') return <Trouble message={threads.message} />
  if (threads.status === 'loading') return null
  return (
    <section className="border-line mx-auto max-w-2xl border-t p-5">
      <h2 className="mb-3 font-semibold">Who would speak?</h2>
      {threads.value.length === 0 ? (
        <p className="text-soft text-sm">
          Once {bot.name} is in a thread of yours, texts can be tried out here.
        </p>
      ) : (
        <Trial bot={bot} draft={draft} threads={threads.value} />
      )}
    </section>
  )
}

function Trial({
  bot,
  draft,
  threads,
}: WhoWouldSpeakProps & { readonly threads: readonly ThreadSummary[] }) {
  const { client } = useStore()
  const [threadId, setThread] = useState(threads[0]?.id ?? '')
  const [text, setText] = useState('')
  const [answer, setAnswer] = useState<Answer>()
  const [error, setError] = useState<string>()

  async function ask(paid: boolean): Promise<void> {
    try {
      setError(undefined)
      setAnswer(undefined)
      setAnswer(
        await client.threads.whoWouldSpeak(threadId, { text, paid, bot: trialOf(bot, draft) }),
      )
    } catch (cause) {
      setError(messageOf(cause))
    }
  }

  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault()
        void ask(false)
      }}
    >
      <Choice threads={threads} value={threadId} onChange={setThread} />
      <Field
        label="If this were said"
        hint="Nothing is said. What the form holds counts, saved or not."
      >
        <textarea
          className="field"
          rows={2}
          required
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
      <button className="button">Who would speak?</button>
      <Trouble message={error} />
      {answer !== undefined && <WouldSpeak answer={answer} onAsk={() => void ask(true)} />}
    </form>
  )
}

function Choice({
  threads,
  value,
  onChange,
}: {
  readonly threads: readonly ThreadSummary[]
  readonly value: string
  readonly onChange: (id: string) => void
}): ReactNode {
  return (
    <Field label="In the thread">
      <select className="field" value={value} onChange={({ target }) => onChange(target.value)}>
        {threads.map(({ id, title }) => (
          <option key={id} value={id}>
            {title || 'Untitled'}
          </option>
        ))}
      </select>
    </Field>
  )
}
