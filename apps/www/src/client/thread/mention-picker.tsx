import type { Choice } from './mention-choice.ts'

export interface MentionPickerProps {
  readonly choices: readonly Choice[]
  readonly picked: number
  readonly onPick: (handle: string) => void
}

export function MentionPicker({ choices, picked, onPick }: MentionPickerProps) {
  return (
    <ul
      role="listbox"
      aria-label="Who is meant"
      className="border-line bg-raised absolute bottom-full left-3 z-10 mb-1 w-72 overflow-hidden rounded-lg border shadow-lg md:left-5"
    >
      {choices.map((choice, index) => (
        <li
          key={choice.id}
          role="option"
          aria-selected={index === picked}
          className={`flex cursor-pointer items-baseline gap-2 px-3 py-1.5 ${index === picked ? 'bg-tint' : ''}`}
          // Before the text loses its focus.
          onMouseDown={(event) => {
            event.preventDefault()
            onPick(choice.handle)
          }}
        >
          <span className="font-medium">{choice.name}</span>
          <span className="text-soft text-sm">@{choice.handle}</span>
          <span className="text-soft ml-auto text-xs">
            {choice.mode === undefined ? '' : choice.muted ? 'muted' : choice.mode}
          </span>
        </li>
      ))}
    </ul>
  )
}
