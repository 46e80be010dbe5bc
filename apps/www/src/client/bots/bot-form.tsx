import type { Bot, ModelInfo } from '@arbe/sdk'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { MODES } from '../thread/thread-members.tsx'

export interface BotFormProps {
  /** Undefined: a new one. */
  readonly bot: Bot | undefined
  readonly models: { readonly all: readonly ModelInfo[]; readonly standard: string }
  readonly onDone: () => void
}

type Draft = Pick<
  Bot,
  'name' | 'handle' | 'description' | 'prompt' | 'voice' | 'model' | 'triggerMode'
>

export function BotForm({ bot, models, onDone }: BotFormProps) {
  const store = useStore()
  const [draft, setDraft] = useState<Draft>(() => draftOf(bot))
  const [error, setError] = useState<string>()
  const set = (change: Partial<Draft>): void => setDraft({ ...draft, ...change })

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    const { handle, ...rest } = draft
    const input = handle.trim() === '' ? rest : { ...rest, handle: handle.trim() }
    await attempt(() =>
      bot === undefined ? store.client.bots.create(input) : store.client.bots.edit(bot.id, input),
    )
  }

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      onDone()
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
    }
  }

  return (
    <form onSubmit={(event) => void save(event)} className="mx-auto max-w-2xl space-y-5 p-5">
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Name">
          <input
            className="field"
            required
            maxLength={64}
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        </Field>
        <Field
          label="Handle"
          hint="How it is named after an @; left empty it follows from the name."
        >
          <input
            className="field"
            maxLength={32}
            value={draft.handle}
            onChange={(event) => set({ handle: event.target.value })}
          />
        </Field>
      </div>
      <Field
        label="Description"
        hint="One line about what it is good at. The director chooses by it."
      >
        <input
          className="field"
          maxLength={500}
          value={draft.description}
          onChange={(event) => set({ description: event.target.value })}
        />
      </Field>
      <Field label="Prompt" hint="Who it is and how it works. Only its own model reads this.">
        <textarea
          className="field min-h-40"
          maxLength={32_000}
          value={draft.prompt}
          onChange={(event) => set({ prompt: event.target.value })}
        />
      </Field>
      <Field label="Voice" hint="How it sounds: short, warm, dry.">
        <input
          className="field"
          maxLength={2_000}
          value={draft.voice}
          onChange={(event) => set({ voice: event.target.value })}
        />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Model">
          <select
            className="field"
            value={draft.model}
            onChange={(event) => set({ model: event.target.value })}
          >
            <option value="">The house’s default ({models.standard})</option>
            {models.all.map((model) => (
              <option key={model.name} value={model.name}>
                {model.name} {priceOf(model)}
              </option>
            ))}
          </select>
        </Field>
        <Field label="When it speaks">
          <select
            className="field"
            value={draft.triggerMode ?? ''}
            onChange={(event) => set({ triggerMode: toMode(event.target.value) })}
          >
            <option value="">as the house does</option>
            {Object.entries(MODES).map(([mode, said]) => (
              <option key={mode} value={mode}>
                {said}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {error !== undefined && (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      )}
      <div className="flex gap-2">
        <button className="button-primary">{bot === undefined ? 'Make the bot' : 'Save'}</button>
        <button type="button" className="button-quiet" onClick={onDone}>
          Cancel
        </button>
        {bot !== undefined && (
          <button
            type="button"
            className="button-quiet text-bad ml-auto"
            onClick={() => void attempt(() => store.client.bots.remove(bot.id))}
          >
            Remove from the house
          </button>
        )}
      </div>
    </form>
  )
}

interface FieldProps {
  readonly label: string
  readonly hint?: string
  readonly children: ReactNode
}

function Field({ label, hint, children }: FieldProps) {
  return (
    <label className="block">
      <span className="label">{label}</span>
      {children}
      {hint !== undefined && <span className="text-soft mt-1 block text-xs">{hint}</span>}
    </label>
  )
}

function draftOf(bot: Bot | undefined): Draft {
  if (bot === undefined) {
    return {
      name: '',
      handle: '',
      description: '',
      prompt: '',
      voice: '',
      model: '',
      triggerMode: null,
    }
  }
  const { name, handle, description, prompt, voice, model, triggerMode } = bot
  return { name, handle, description, prompt, voice, model, triggerMode }
}

function toMode(value: string): Draft['triggerMode'] {
  return value === 'always' || value === 'auto' || value === 'mention' || value === 'never'
    ? value
    : null
}

function priceOf({ demo, inputPrice, outputPrice }: ModelInfo): string {
  return demo ? '(built in, free)' : `($${inputPrice} in, $${outputPrice} out a million tokens)`
}
