import { sayOutcome } from '@arbe/sdk/say-decision'
import { MessageText } from './message-text.tsx'
import { Offers } from './offers.tsx'
import { NOBODY_NAMED, type OutcomeItem } from './thread-item.ts'
import type { ThreadScene } from './thread-scene.ts'

/** A turn that ended without a reply: what came of it, why, and what had been written until then. */
export function OutcomeLine({
  item,
  scene,
}: {
  readonly item: OutcomeItem
  readonly scene: ThreadScene
}) {
  const { outcome, bot } = item
  const { last } = scene.view
  const name = bot === undefined ? 'A bot' : scene.who(bot).name
  const isTrouble = outcome.status === 'failed' || outcome.status === 'interrupted'
  return (
    <div className="my-1.5 ml-11">
      {outcome.partial !== undefined && outcome.partial !== '' && (
        <div className="border-line mb-1 rounded-xl border border-dashed px-3.5 py-2.5">
          <MessageText text={outcome.partial} thread={scene.thread} named={NOBODY_NAMED} />
          <p className="text-soft mt-1 text-xs">Unfinished: the turn ended here.</p>
        </div>
      )}
      <p
        className={`text-sm ${isTrouble ? 'bg-bad-tint text-bad w-fit rounded-md px-2 py-0.5' : 'text-soft'}`}
      >
        {sayOutcome(outcome, name)}
      </p>
      {last?.decision.d === outcome.d && <Offers item={last} scene={scene} />}
    </div>
  )
}
