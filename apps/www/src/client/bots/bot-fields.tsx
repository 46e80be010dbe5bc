import type { ModelInfo } from '@arbe/sdk'
import { Field } from '../shell/field.tsx'
import { type BotDraft, sayPrice } from './bot-draft.ts'
import { SAID_MODES, toMode } from './trigger-modes.ts'

export interface BotFieldsProps {
  readonly draft: BotDraft
  readonly set: (change: Partial<BotDraft>) => void
}

export function NameFields({ draft, set }: BotFieldsProps) {
  return (
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
      <Field label="Handle" hint="What follows the @. Left empty, it is made from the name.">
        <input
          className="field"
          maxLength={32}
          value={draft.handle}
          onChange={(event) => set({ handle: event.target.value })}
        />
      </Field>
    </div>
  )
}

export function CharacterFields({ draft, set }: BotFieldsProps) {
  return (
    <>
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
    </>
  )
}

export interface ModelFieldsProps extends BotFieldsProps {
  readonly models: { readonly all: readonly ModelInfo[]; readonly standard: string }
}

export function ModelFields({ draft, set, models }: ModelFieldsProps) {
  return (
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
              {model.name} ({sayPrice(model)})
            </option>
          ))}
        </select>
      </Field>
      <Field label="When it speaks" hint="Each thread may set it otherwise for itself.">
        <select
          className="field"
          value={draft.triggerMode ?? ''}
          onChange={(event) => set({ triggerMode: toMode(event.target.value) ?? null })}
        >
          <option value="">as the house does</option>
          {SAID_MODES.map(([mode, said]) => (
            <option key={mode} value={mode}>
              {said}
            </option>
          ))}
        </select>
      </Field>
    </div>
  )
}
