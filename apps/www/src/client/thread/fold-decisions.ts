import type { Rule } from '@arbe/sdk'
import type { DecisionItem, ThreadItem } from './thread-item.ts'

/** Nobody speaks, and nothing is to be done about it. */
const quietRules: ReadonlySet<Rule> = new Set<Rule>([
  'backlog',
  'no_input',
  'no_text',
  'bot_spoke',
  'to_people',
  'acknowledgement',
  'no_bots',
  'mention_only',
  'none_eligible',
])

/**
 * Takes away the lines that tell a reader nothing new: that a bot's reply asked nobody goes into the decision that made it speak, and
 * of several decisions for nobody, with only people's words between them, the last one stands for all. That a limit is reached is told
 * once, however often bots go on to write, until a person writes or a bot has its turn.
 */
export function foldDecisions(items: readonly ThreadItem[]): readonly ThreadItem[] {
  const folded: ThreadItem[] = []
  for (const item of items) {
    if (item.type !== 'decision' || !isFolded(folded, item)) folded.push(item)
  }
  return folded
}

function isFolded(folded: ThreadItem[], item: DecisionItem): boolean {
  if (isEnd(item)) return foldEnd(folded, item)
  return isQuiet(item) && foldIn(folded, item)
}

function foldEnd(folded: ThreadItem[], item: DecisionItem): boolean {
  const index = folded.findLastIndex(({ type }) => type === 'decision' || type === 'nobodies')
  const last = folded[index]
  const earlier =
    last?.type === 'nobodies' ? last.decisions : last?.type === 'decision' ? [last] : []
  if (!earlier.some(isEnd) || folded.slice(index + 1).some(isWordOfPerson)) return false
  folded.splice(index, 1)
  folded.push({ type: 'nobodies', seq: item.seq, decisions: [...earlier, item] })
  return true
}

/** A limit is reached, which a person may lift. */
function isEnd({ decision: { speaker, rule } }: DecisionItem): boolean {
  return speaker === null && (rule === 'turn_limit' || rule === 'hop_limit')
}

function isWordOfPerson(item: ThreadItem): boolean {
  return item.type === 'notice' || (item.type === 'message' && item.authorKind === 'person')
}

function foldIn(folded: ThreadItem[], item: DecisionItem): boolean {
  const index = folded.findLastIndex(({ type }) => type === 'decision' || type === 'nobodies')
  const last = folded[index]
  if (last?.type === 'decision' && last.decision.speaker !== null) {
    if (item.decision.rule !== 'bot_spoke' || last.after !== undefined) return false
    folded[index] = { ...last, after: item.decision }
    return true
  }
  if (last === undefined || folded.slice(index).some(isBots)) return false
  const earlier = earlierQuiet(last)
  if (earlier.length === 0) return false
  folded.splice(index, 1)
  folded.push({ type: 'nobodies', seq: item.seq, decisions: [...earlier, item] })
  return true
}

function earlierQuiet(item: ThreadItem): readonly DecisionItem[] {
  if (item.type === 'nobodies') return item.decisions
  return item.type === 'decision' && isQuiet(item) ? [item] : []
}

function isQuiet({ decision: { kind, speaker, rule } }: DecisionItem): boolean {
  if (speaker !== null || kind === 'undecided') return false
  return rule === undefined ? kind === 'paid' : quietRules.has(rule)
}

function isBots(item: ThreadItem): boolean {
  return (
    item.type === 'turn' ||
    item.type === 'outcome' ||
    (item.type === 'message' && item.authorKind !== 'person')
  )
}
