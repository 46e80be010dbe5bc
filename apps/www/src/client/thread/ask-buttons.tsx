import type { ThreadScene } from './thread-scene.ts'

/** So many have a button of their own; the rest stand in a list. */
const BUTTONS = 5

export interface Askable {
  readonly id: string
  readonly name: string
}

interface AskButtonsProps {
  readonly bots: readonly Askable[]
  readonly scene: ThreadScene
  /** How asking is meant: again, instead. */
  readonly how?: 'again' | 'instead' | undefined
}

/** One click gives a bot its turn, whatever was decided. */
export function AskButtons({ bots, scene, how }: AskButtonsProps) {
  const ask = (bot: string): void => void scene.act({ kind: 'thread.ask', bot })
  const isMany = bots.length > BUTTONS
  const shown = isMany ? bots.slice(0, BUTTONS - 1) : bots
  return (
    <>
      {shown.map(({ id, name }) => (
        <button key={id} className="button px-2 py-0.5" onClick={() => ask(id)}>
          Ask {name}
          {how !== undefined && ` ${how}`}
        </button>
      ))}
      {isMany && (
        <select
          className="button px-2 py-0.5"
          aria-label="Ask someone else"
          value=""
          onChange={(event) => ask(event.target.value)}
        >
          <option value="" disabled>
            Ask someone else…
          </option>
          {bots.slice(shown.length).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  )
}
