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
  const inner = () => draw('tokens' in token ? token.tokens : undefined, custom)
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
    case 'list':
      return drawList(token as Tokens.List, key, custom)
    case 'table':
      return drawTable(token as Tokens.Table, key, custom)
    case 'link':
      return drawLink(token as Tokens.Link, key, inner())
    case 'image':
      return drawImage(token as Tokens.Image, key)
    case 'escape':
    case 'html':
      return token['text']
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? (
        <span key={key}>{inner()}</span>
      ) : (
        token['text']
      )
    default:
      return custom(token, key)
  }
}

function Heading({ depth, text }: { readonly depth: number; readonly text: ReactNode }) {
  // A message stands under the page's own headings.
  if (depth <= 1) return <h3 className="text-lg">{text}</h3>
  if (depth === 2) return <h4 className="text-base">{text}</h4>
  return <h5>{text}</h5>
}

function drawList(list: Tokens.List, key: string, custom: MarkdownProps['custom']): ReactNode {
  const items = list.items.map((item, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- a message's items never move
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
    // oxlint-disable-next-line react/no-array-index-key -- a message's cells never move
    row.map((cell, index) => <Cell key={index}>{draw(cell.tokens, custom)}</Cell>)
  return (
    <table key={key}>
      <thead>
        <tr>{cells(table.header, 'th')}</tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a message's rows never move
          <tr key={index}>{cells(row, 'td')}</tr>
        ))}
      </tbody>
    </table>
  )
}

const OPENED = /^(https?:|mailto:)/i

function drawLink(link: Tokens.Link, key: string, text: ReactNode): ReactNode {
  if (!OPENED.test(link.href)) return <span key={key}>{text}</span>
  return (
    <a key={key} href={link.href} target="_blank" rel="noreferrer noopener">
      {text}
    </a>
  )
}

/** A foreign image is fetched only when somebody opens it: loading it would tell its server who reads. */
function drawImage(image: Tokens.Image, key: string): ReactNode {
  const text = `🖼 ${image.text === '' ? image.href : image.text}`
  return drawLink({ ...image, type: 'link', tokens: [] }, key, text)
}
