import type { DecisionBody, OutcomeBody } from '@arbe/sdk/entries'
import { sayDecision, sayOutcome, sayRest } from '@arbe/sdk/say-decision'

/** A decision in lines: what it says to everybody, and under it what it came from. */
export function sayWhy(
  { decision, outcome }: { readonly decision: DecisionBody; readonly outcome: OutcomeBody | null },
  nameOf: (id: string) => string,
): readonly string[] {
  const { candidates, requests, voided, from, to, seen, speaker, error } = decision
  const rest = sayRest(decision)
  const facts: readonly (readonly [string, string])[] = [
    ['decided by', decider(decision)],
    ['covers', `${from === to ? 'an older request' : range(from + 1, to)}; read up to ${seen}`],
    ['could speak', sayCandidates(candidates)],
    ...requests.map(
      ({ bot, entry, by }) => ['owed', `${nameOf(bot)}, for ${entry} (${by})`] as const,
    ),
    ...voided.map(
      ({ bot, entry, why: gone }) => ['void', `${nameOf(bot)}, for ${entry} (${gone})`] as const,
    ),
    ...(error === undefined ? [] : [['error', error] as const]),
    ...(rest === undefined ? [] : [['paused', rest] as const]),
    ...(outcome === null || speaker === null
      ? []
      : [['outcome', sayOutcome(outcome, nameOf(speaker))] as const]),
  ]
  return [sayDecision(decision, nameOf), ...facts.map(sayFact)]
}

export function sayFact([about, what]: readonly [about: string, what: string]): string {
  return `  ${about.padEnd(11)}  ${what}`
}

export function sayCandidates(candidates: DecisionBody['candidates']): string {
  return candidates.map(candidate).join(', ') || 'no bot'
}

function decider({ kind, rule, model }: DecisionBody): string {
  if (kind === 'free') return `rule ${rule ?? ''}`
  return model === undefined || model === '' ? 'a model' : model
}

const range = (first: number, last: number): string =>
  first === last ? String(first) : `${first} to ${last}`

function candidate({ name, eligible, why: not }: DecisionBody['candidates'][number]): string {
  return eligible ? name : `(${name}: ${not ?? 'not now'})`
}
