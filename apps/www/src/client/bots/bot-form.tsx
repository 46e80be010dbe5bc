import type { Bot, ModelInfo } from '@arbe/sdk'
import { type FormEvent, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { messageOf } from '../shell/message-of.ts'
import { Trouble } from '../shell/trouble.tsx'
import { type BotDraft, draftOf } from './bot-draft.ts'
import { CharacterFields, ModelFields, NameFields } from './bot-fields.tsx'
import { WhoWouldSpeak } from './who-would-speak.tsx'

export interface BotFormProps {
  /** Undefined: a new one. */
  readonly bot: Bot | undefined
  readonly models: { readonly all: readonly ModelInfo[]; readonly standard: string }
  readonly onDone: () => void
}

export function BotForm({ bot, models, onDone }: BotFormProps) {
  const store = useStore()
  const [draft, setDraft] = useState<BotDraft>(() => draftOf(bot))
  const [error, setError] = useState<string>()
  const set = (change: Partial<BotDraft>): void => setDraft({ ...draft, ...change })

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      onDone()
    } catch (cause) {
      setError(messageOf(cause))
    }
  }

  function save(event: FormEvent): void {
    event.preventDefault()
    const { handle, ...rest } = draft
    // Left empty, it follows from the name.
    const input = handle.trim() === '' ? rest : { ...rest, handle: handle.trim() }
    void attempt(() =>
      bot === undefined ? store.client.bots.create(input) : store.client.bots.edit(bot.id, input),
    )
  }

  return (
    <>
      <form onSubmit={save} className="mx-auto max-w-2xl space-y-5 p-5">
        <NameFields draft={draft} set={set} />
        <CharacterFields draft={draft} set={set} />
        <ModelFields draft={draft} set={set} models={models} />
        <Trouble message={error} />
        <div className="flex flex-wrap gap-2">
          <button className="button-primary">{bot === undefined ? 'Make the bot' : 'Save'}</button>
          <button type="button" className="button-quiet" onClick={onDone}>
            Cancel
          </button>
          {bot !== undefined && (
            <RemoveBot
              name={bot.name}
              onRemove={() => void attempt(() => store.client.bots.remove(bot.id))}
            />
          )}
        </div>
      </form>
      {bot !== undefined && <WhoWouldSpeak bot={bot} draft={draft} />}
    </>
  )
}

function RemoveBot({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <button
      type="button"
      className="button-quiet text-bad ml-auto"
      onClick={() => (isAsking ? onRemove() : setAsking(true))}
      onBlur={() => setAsking(false)}
    >
      {isAsking ? `Remove ${name} from every thread?` : 'Remove from the house'}
    </button>
  )
}
