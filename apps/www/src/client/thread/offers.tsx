import { AskButtons } from './ask-buttons.tsx'
import { offersOf } from './offers-of.ts'
import type { DecisionItem } from './thread-item.ts'
import type { ThreadScene } from './thread-scene.ts'

/** What one may do about the last decision: ask somebody, or let the bots go on after a limit. */
export function Offers({
  item,
  scene,
}: {
  readonly item: DecisionItem
  readonly scene: ThreadScene
}) {
  if (scene.view.last?.decision.d !== item.decision.d) return null
  const { canContinue, ask, isAgain } = offersOf(item, scene.thread)
  if (!canContinue && ask.length === 0) return null
  return (
    <div className="mt-1.5 flex flex-wrap gap-1.5">
      {canContinue && (
        <button
          className="button px-2 py-0.5"
          onClick={() => void scene.act({ kind: 'thread.continue' })}
        >
          Continue
        </button>
      )}
      <AskButtons bots={ask} scene={scene} how={isAgain ? 'again' : undefined} />
    </div>
  )
}
