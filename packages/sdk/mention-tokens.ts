import type { Token, Tokens } from 'marked'
import { lexChatMarkdown } from './chat-markdown.ts'
import { type GluedName, type MembersByKey, mentionAt, type MentionSpan } from './mention-at.ts'

/** Stands among the inline tokens in place of the text of an `@name` that names somebody. */
export interface MentionToken<Id extends string> {
  readonly type: 'mention'
  readonly raw: string
  readonly span: Exclude<MentionSpan<Id>, { readonly kind: 'unknown' }>
}

/**
 * Finds the mentions in the plain text of a message: not in code, quotes, links or HTML. The tokens
 * drawn and the mentions found come from one walk, so they cannot differ.
 */
export function readMentions<Id extends string>(
  text: string,
  byKey: MembersByKey<Id>,
  { isDrawn }: { readonly isDrawn: boolean },
): ReadMentions<Id> {
  const reader = new MentionReader(text, byKey)
  const tokens = reader.read(lexChatMarkdown(text, isDrawn ? undefined : mayNameOrHide), false)
  return { tokens, spans: reader.spans, glued: reader.glued }
}

export interface ReadMentions<Id extends string> {
  readonly tokens: readonly Token[]
  readonly spans: readonly MentionSpan<Id>[]
  readonly glued: readonly GluedName<Id>[]
}

// What has no sign of a name, and no tag that may quiet what follows, is not looked into where nothing is drawn.
const mayNameOrHide = (source: string): boolean => /[@<]/.test(source)

const quietKinds = new Set(['blockquote', 'link', 'image'])
const quietTags = /<\/?(?:a|blockquote|code|kbd|pre|q|samp|script|style|textarea|tt|var)(?![\w-])/gi

// marked tells no positions and drops indents, tabs and `>`. But it keeps every `@` in its order,
// so the n-th `@` of the tokens is the n-th of the text.
class MentionReader<Id extends string> {
  readonly spans: MentionSpan<Id>[] = []
  readonly glued: GluedName<Id>[] = []
  private readonly openTags = new Map<string, number>()
  private readonly text: string
  private readonly byKey: MembersByKey<Id>
  private readonly ats: readonly number[]
  private next = 0

  constructor(text: string, byKey: MembersByKey<Id>) {
    this.text = text
    this.byKey = byKey
    this.ats = Array.from(text.matchAll(/@/g), ({ index }) => index)
  }

  read(tokens: readonly Token[], quiet: boolean): Token[] {
    return tokens.flatMap((token) => this.within(token.raw, () => this.readToken(token, quiet)))
  }

  /** Leaves the count where the source ends, whatever was read of it: a table drops extra cells. */
  private within<T>(source: string, read: () => T): T {
    const after = this.next + source.split('@').length - 1
    const result = read()
    this.next = after
    return result
  }

  private readToken(token: Token, quiet: boolean): Token[] {
    if (token.type === 'html') this.trackTags(token.raw)
    if (isTable(token)) return [this.readTable(token, quiet)]
    if (isList(token)) return [{ ...token, items: this.read(token.items, quiet) }]
    if (!('tokens' in token)) return this.readLeaf(token, quiet)
    const tokens = this.read(token.tokens, quiet || quietKinds.has(token.type))
    return [{ ...token, tokens }]
  }

  private readTable(table: Tokens.Table, quiet: boolean): Tokens.Generic {
    const [header = '', , ...rows] = table.raw.split('\n')
    const readRow = (source: string, cells: readonly Tokens.TableCell[]): Tokens.TableCell[] =>
      this.within(source, () =>
        cells.map((cell) => ({ ...cell, tokens: this.read(cell.tokens, quiet) })),
      )
    return {
      ...table,
      header: readRow(header, table.header),
      rows: table.rows.map((cells, index) => readRow(rows[index] ?? '', cells)),
    }
  }

  private readLeaf(token: Token, quiet: boolean): Token[] {
    const speaks = token.type === 'text' && !quiet && this.openTags.size === 0
    return speaks ? this.readText(token.raw) : [token]
  }

  private readText(raw: string): Token[] {
    const read: Token[] = []
    let from = 0
    let at = -1
    for (const start of this.ats.slice(this.next, this.next + raw.split('@').length - 1)) {
      at = raw.indexOf('@', at + 1)
      const span = mentionAt(this.text, start, this.byKey)
      if (span === undefined) continue
      if (span.kind === 'glued') {
        this.glued.push(span)
        continue
      }
      const name = this.text.slice(span.start, span.end)
      // Its name goes on into a link: `@http://…`.
      if (!raw.startsWith(name, at)) continue
      this.spans.push(span)
      if (span.kind === 'unknown') continue
      read.push(...plainText(raw.slice(from, at)), { type: 'mention', raw: name, span })
      from = at + name.length
    }
    return [...read, ...plainText(raw.slice(from))]
  }

  // Over the whole message: an unclosed `<code>` stays open in a browser, too.
  private trackTags(html: string): void {
    for (const [tag] of html.toLowerCase().matchAll(quietTags)) {
      const name = tag.replace(/^<\/?/, '')
      const open = (this.openTags.get(name) ?? 0) + (tag.startsWith('</') ? -1 : 1)
      if (open > 0) this.openTags.set(name, open)
      else this.openTags.delete(name)
    }
  }
}

function plainText(raw: string): Tokens.Text[] {
  return raw === '' ? [] : [{ type: 'text', raw, text: raw, escaped: false }]
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table'
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list'
}
