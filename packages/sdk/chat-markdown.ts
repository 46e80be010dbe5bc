import { getDefaults, Hooks, Lexer, type Token, Tokenizer, type Tokens } from 'marked'

/**
 * Reads a message as Markdown: GitHub's dialect, but a quote ends with its last `>` line, so that an
 * answer typed under it is not swallowed, and an entity such as `&#64;` stays as typed.
 *
 * marked is quadratic, or overflows its stack, on texts made for it; 64 KiB took up to 40 s. The
 * bounds below hold that to 0.3 s. A text beyond one of them loses that markup, never a word.
 */
export function lexChatMarkdown(text: string, reads: Reads = everything): Token[] {
  const lexer = new PiecewiseLexer({
    ...getDefaults(),
    breaks: true,
    gfm: tableRules(text) * text.length <= tableBudget,
    tokenizer: new ChatTokenizer(),
    hooks: emphasisWithinBudget(),
  })
  lexer.reads = reads
  lexer.pieceLength = Math.max(shortestPiece, inlineBudget / text.length)
  return lexer.lex(text)
}

/** Whether what stands in a paragraph matters. One that does not has no tokens in it, and costs next to nothing. */
export type Reads = (source: string) => boolean

const everything: Reads = () => true

// Each inline rule may look to the end of its paragraph. So a long paragraph is read in pieces, and
// markup that crosses from one to the next stays as typed. Up to 5,600 characters nothing is cut.
const inlineBudget = 32_000_000
const shortestPiece = 1_000

class PiecewiseLexer extends Lexer {
  pieceLength = shortestPiece
  reads = everything

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (!this.reads(src)) return tokens
    let rest = src
    while (rest.length > this.pieceLength) {
      const piece = firstPiece(rest, this.pieceLength)
      super.inlineTokens(piece, tokens)
      rest = rest.slice(piece.length)
    }
    return super.inlineTokens(rest, tokens)
  }
}

function firstPiece(text: string, length: number): string {
  const piece = text.slice(0, length)
  return /^[^]*\n/.exec(piece)?.[0] ?? /^[^]*[\s。，、！？；]/.exec(piece)?.[0] ?? piece
}

// The longest of marked's searches is the one for a closing asterisk: cubic in nested emphasis.
const emphasisBudget = 2_000_000

function emphasisWithinBudget(): Hooks {
  let left = emphasisBudget
  const hooks = new Hooks()
  hooks.emStrongMask = (masked) => {
    const runs = masked.match(/[*_~]+/g)?.length ?? 0
    if (runs * masked.length > left) return masked.replace(/[*_~]/g, '+')
    left -= runs * masked.length
    return masked
  }
  return hooks
}

// At each row of dashes marked looks for the rows of a table, down to the next empty line.
const tableBudget = 5_000_000

function tableRules(text: string): number {
  return text.match(/^[ \t>]*[|:-][|:\- \t]*$/gm)?.length ?? 0
}

const deepest = 16
const tooDeep = new RegExp(`^(?:[ \\t]*(?:[*+-]|\\d{1,9}[.)]|>)){${deepest + 1}}`)
// Its underline is looked for from every line of a list item.
const setextLines = /^(?:[^\n]*\n){8}/

class ChatTokenizer extends Tokenizer {
  private depth = 0

  override blockquote(src: string): Tokens.Blockquote | undefined {
    const quoted = /^(?: {0,3}>[^\n]*(?:\n|$))+/.exec(src)?.[0]
    if (quoted === undefined) return undefined
    return this.nested(quoted, () => super.blockquote(quoted)) ?? plainQuote(quoted)
  }

  override list(src: string): Tokens.List | undefined {
    return this.nested(src, () => super.list(src))
  }

  override lheading(src: string): Tokens.Heading | undefined {
    return super.lheading(setextLines.exec(src)?.[0] ?? src)
  }

  override inlineText(src: string): Tokens.Text | undefined {
    const token = super.inlineText(src)
    return token && { ...token, text: token.raw }
  }

  private nested<T>(src: string, read: () => T): T | undefined {
    if (this.depth === deepest || tooDeep.test(src)) return undefined
    this.depth += 1
    try {
      return read()
    } finally {
      this.depth -= 1
    }
  }
}

function plainQuote(raw: string): Tokens.Blockquote {
  const text: Tokens.Text = { type: 'text', raw, text: raw, escaped: false }
  const paragraph: Tokens.Paragraph = { type: 'paragraph', raw, text: raw, tokens: [text] }
  return { type: 'blockquote', raw, text: raw, tokens: [paragraph] }
}
