import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'

export interface MarkdownProps {
  readonly tokens: readonly Token[]
  /** Draws a token that is no Markdown: a mention. */
  readonly custom: (token: Token, key: string) => ReactNode
}

/**
 * Draws Markdown tokens as React elements. No HTML string is made anywhere, so nothing that a message holds can become markup: a tag
 * in a text is shown as the characters it is.
 */
export function Markdown({ tokens, custom }: MarkdownProps) {
  return <div className="prose-text break-words">{draw(tokens, custom)}</div>
}

function draw(tokens: readonly Token[] | undefined, custom: MarkdownProps['custom']): ReactNode {
  return tokens?.map((token, index) => drawToken(token, `${index}`, custom))
}

function drawToken(token: Token, key: string, custom: MarkdownProps['custom']): ReactNode {
  if (isList(token)) return drawList(token, key, custom)
  if (isTable(token)) return drawTable(token, key, custom)
  const inner = () => draw(tokensOf(token), custom)
  if (isLink(token)) return drawLink(token.href, key, inner())
  if (isImage(token)) return drawImage(token, key)
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return <p key={key}>{inner()}</p>
    case 'heading':
      return <Heading key={key} depth={token['depth']} text={inner()} />
    case 'strong':
      return <strong key={key}>{inner()}</strong>
    case 'em':
      return <em key={key}>{inner()}</em>
    case 'del':
      return <del key={key}>{inner()}</del>
    case 'codespan':
      return <code key={key}>{token['text']}</code>
    case 'code':
      return (
        <pre key={key}>
          <code>{token['text']}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote key={key}>{inner()}</blockquote>
    case 'hr':
      return <hr key={key} className="border-line" />
    case 'br':
      return <br key={key} />
    case 'escape':
    case 'html':
      return token['text']
    case 'text':
      return tokensOf(token) === undefined ? token['text'] : <span key={key}>{inner()}</span>
    default:
      return custom(token, key)
  }
}

const isList = (token: Token): token is Tokens.List => token.type === 'list'
const isTable = (token: Token): token is Tokens.Table => token.type === 'table'
const isLink = (token: Token): token is Tokens.Link => token.type === 'link'
const isImage = (token: Token): token is Tokens.Image => token.type === 'image'

function tokensOf(token: Token): readonly Token[] | undefined {
  return 'tokens' in token ? token.tokens : undefined
}

function Heading({ depth, text }: { readonly depth: number; readonly text: ReactNode }) {
  // A message stands under the page's own headings.
  if (depth <= 1) return <h3 className="text-lg">{text}</h3>
  if (depth === 2) return <h4 className="text-base">{text}</h4>
  return <h5>{text}</h5>
}

function drawList(list: Tokens.List, key: string, custom: MarkdownProps['custom']): ReactNode {
  const items = list.items.map((item, index) => (
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked === true} readOnly />}{' '}
      {draw(item.tokens, custom)}
    </li>
  ))
  if (!list.ordered) return <ul key={key}>{items}</ul>
  return (
    <ol key={key} start={typeof list.start === 'number' ? list.start : 1}>
      {items}
    </ol>
  )
}

function drawTable(table: Tokens.Table, key: string, custom: MarkdownProps['custom']): ReactNode {
  const cells = (row: readonly Tokens.TableCell[], Cell: 'th' | 'td') =>
    row.map((cell, index) => <Cell key={index}>{draw(cell.tokens, custom)}</Cell>)
  return (
    <table key={key}>
      <thead>
        <tr>{cells(table.header, 'th')}</tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          <tr key={index}>{cells(row, 'td')}</tr>
        ))}
      </tbody>
    </table>
  )
}

const OPENED = /^(https?:|mailto:)/i

function drawLink(href: string, key: string, text: ReactNode): ReactNode {
  if (!OPENED.test(href)) return <span key={key}>{text}</span>
  return (
    <a key={key} href={href} target="_blank" rel="noreferrer noopener">
      {text}
    </a>
  )
}

/** A foreign image is fetched only when somebody opens it: loading it would tell its server who reads. */
function drawImage({ href, text }: Tokens.Image, key: string): ReactNode {
  return drawLink(href, key, `🖼 ${text === '' ? href : text}`)
}
