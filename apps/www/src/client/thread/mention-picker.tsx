import type { Choice } from './mention-choice.ts'

export interface MentionPickerProps {
  readonly id: string
  readonly choices: readonly Choice[]
  readonly picked: number
  readonly onPick: (handle: string) => void
}

/** Who may be meant; the text keeps the focus and names the picked one to a screen reader. */
export function MentionPicker({ id, choices, picked, onPick }: MentionPickerProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Who is meant"
      className="border-line bg-raised absolute bottom-full left-3 z-10 mb-1 w-80 max-w-[calc(100%-1.5rem)] overflow-hidden rounded-lg border py-1 shadow-lg md:left-5"
    >
      {choices.map((choice, index) => (
        <div
          key={choice.id}
          id={optionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === picked}
          className={`flex cursor-pointer items-baseline gap-2 px-3 py-1.5 ${index === picked ? 'bg-tint' : 'hover:bg-panel'}`}
          // Before the text loses its focus.
          onMouseDown={(event) => {
            event.preventDefault()
            onPick(choice.handle)
          }}
        >
          <span className="truncate font-medium">{choice.name}</span>
          <span className="text-soft truncate text-sm">@{choice.handle}</span>
          <span className="text-soft ml-auto shrink-0 text-xs">{stateOf(choice)}</span>
        </div>
      ))}
    </div>
  )
}

export const optionId = (id: string, index: number): string => `${id}-${index}`

function stateOf({ mode, muted }: Choice): string {
  if (mode === undefined) return 'person'
  return muted ? 'muted' : mode
}
