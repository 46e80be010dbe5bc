import type { DecisionBody, Entry, EntryBody, Via } from '@arbe/sdk/entries'
import { sayDecision, sayOutcome, sayPause } from '@arbe/sdk/say-decision'
import { sayTime } from '@arbe/sdk/say-time'

/** What a person reads of an entry; the work between the lines is left to `--json`. */
export function sayEntry(entry: Entry, nameOf: (id: string) => string): readonly string[] {
  const by = nameOf(entry.authorId)
  const said = (words: string): readonly string[] => [`${entry.seq}  ${inside(words)}`]
  switch (entry.kind) {
    case 'chat':
      return said(`${by}${saidVia(entry.body.via)}: ${entry.body.text}`)
    case 'chat.edit':
      return said(`${by} changed ${entry.body.target}: ${entry.body.text}`)
    case 'chat.delete':
      return said(`${by} deleted ${entry.body.target}`)
    case 'thread.ask':
      return said(`${by} asks ${nameOf(entry.body.bot)}`)
    case 'thread.continue':
      return said(`${by} lets the bots go on`)
    case 'thread.stop':
      return said(`${by} stopped what ran`)
    case 'thread.title':
      return said(`${by} named the thread “${entry.body.title}”`)
    case 'thread.mute':
      return said(`${by} ${muted(entry.body, nameOf)}`)
    case 'thread.limits':
      return said(`${by} ${limited(entry.body)}`)
    case 'thread.banter':
      return said(
        `${by} ${entry.body.on ? 'let the bots talk' : 'ended the talk of bots'} among themselves`,
      )
    case 'pi.tool_result':
      return [`    ${by} ran ${entry.body.tool}${entry.body.isError ? ', which failed' : ''}`]
    case 'signal.thread_director.decision':
      return sayDecided(entry.body, nameOf).map((line) => `    ${line}`)
    case 'signal.thread_director.outcome':
      return entry.body.status === 'replied' ? [] : [`    ${sayOutcome(entry.body, 'The bot')}`]
    case 'thread.people':
    case 'thread.bots':
    case 'thread.environment':
    case 'thread.feedback':
    case 'pi.user':
    case 'pi.assistant':
    case 'pi.terminal':
    case 'signal.thread.child_finished':
      return []
  }
}

function muted(
  { bot, muted: isMuted, until }: EntryBody<'thread.mute'>,
  nameOf: (id: string) => string,
): string {
  const end = until === undefined ? '' : ` until ${sayTime(until)}`
  return `${isMuted ? 'muted' : 'unmuted'} ${nameOf(bot)}${end}`
}

function limited({ perBot, perThread }: EntryBody<'thread.limits'>): string {
  return `set the limits to ${perBot} turns a bot, ${perThread} a thread`
}

function sayDecided(decision: DecisionBody, nameOf: (id: string) => string): readonly string[] {
  const pause = sayPause(decision)
  return [sayDecision(decision, nameOf), ...(pause === undefined ? [] : [pause])]
}

/** A name from elsewhere is a line of its own making no more than a text is. */
function saidVia(via: Via | undefined): string {
  if (via === undefined) return ''
  const name = via.name === undefined ? '' : `for ${JSON.stringify(via.name)} `
  return ` (${name}via ${via.bridge})`
}

/** Further lines of a text stand deeper than anything else, so that no text can pass for an entry of its own. */
function inside(words: string): string {
  return words.replaceAll('\n', '\n        ')
}
