import { Avatar } from '../thread/avatar.tsx'

export interface MemberChoiceProps {
  readonly title: string
  readonly kind: 'person' | 'bot'
  readonly all: readonly { id: string; name: string; handle: string; description?: string }[]
  readonly chosen: ReadonlySet<string>
  readonly onToggle: (id: string) => void
  /** Said when there is nobody to choose. */
  readonly children: string
}

/** Any number of people, or of bots. */
export function MemberChoice({ title, kind, all, chosen, onToggle, children }: MemberChoiceProps) {
  return (
    <fieldset>
      <legend className="label">{title}</legend>
      {all.length === 0 && <p className="text-soft text-sm">{children}</p>}
      <div className="space-y-1">
        {all.map((member) => (
          <label
            key={member.id}
            className="border-line hover:bg-panel has-checked:border-accent has-checked:bg-tint flex cursor-pointer items-center gap-3 rounded-lg border px-3 py-2"
          >
            <input
              type="checkbox"
              className="accent-accent size-4 shrink-0"
              checked={chosen.has(member.id)}
              onChange={() => onToggle(member.id)}
            />
            <Avatar who={{ name: member.name, handle: member.handle, kind }} />
            <span className="min-w-0">
              <span className="font-medium">{member.name}</span>{' '}
              <span className="text-soft text-sm">@{member.handle}</span>
              {member.description !== undefined && member.description !== '' && (
                <span className="text-soft block text-sm">{member.description}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
