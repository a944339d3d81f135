import './markdown.css'
import type { Token } from 'markdown-it'
import { createElement, Fragment, memo, type ReactNode, useMemo, useRef } from 'react'
import { CodeBlock, codeInfo } from './code-block.tsx'
import {
  isOpenable,
  longestMarkdown,
  type MarkdownBlock,
  MarkdownStream,
  parseMarkdown,
} from './markdown-parser.ts'

/** A model's text as Markdown, which cannot act: no HTML, no images, no scripts. */
export const Markdown = memo(function Markdown({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const stream = useRef<MarkdownStream>(null)
  const blocks = useMemo(() => {
    if (text.length > longestMarkdown) return null
    if (!isGrowing) return parseMarkdown(text)
    stream.current ??= new MarkdownStream()
    return stream.current.update(text)
  }, [text, isGrowing])
  if (blocks === null) return <pre className="pre markdown-plain">{text}</pre>
  return (
    <div className="column markdown">
      {blocks.map((block, index) => (
        // Blocks only ever come at the end.
        // biome-ignore lint/suspicious/noArrayIndexKey: a block's place is its identity
        <Block key={index} block={block} isGrowing={isGrowing && index === blocks.length - 1} />
      ))}
    </div>
  )
})

const Block = memo(function Block({ block, isGrowing }: { block: MarkdownBlock; isGrowing: boolean }) {
  return <>{renderTokens(block.tokens, isGrowing)}</>
})

type Open = { token: Token; children: ReactNode[] }

/** Builds elements from a flat list of tokens; what is not known here is shown as its text. */
export function renderTokens(tokens: readonly Token[], isGrowing = false): ReactNode[] {
  const root: ReactNode[] = []
  const stack: Open[] = []
  for (const [index, token] of tokens.entries()) {
    const into = stack.at(-1)?.children ?? root
    if (token.nesting === 1) stack.push({ token, children: [] })
    else if (token.nesting === -1) {
      const done = stack.pop()
      if (done) (stack.at(-1)?.children ?? root).push(elementOf(done, index))
    } else into.push(leafOf(token, index, isGrowing))
  }
  return root
}

const attribute = (token: Token, name: string) => String(token.attrGet(name) ?? '')

const plainTags = new Set(['ul', 'li', 'blockquote', 'table', 'thead', 'tbody', 'tr', 'em', 'strong', 's'])

function elementOf({ token, children }: Open, key: number): ReactNode {
  const { tag } = token
  if (token.type === 'link_open') {
    return (
      <MarkdownLink key={key} address={attribute(token, 'href')}>
        {children}
      </MarkdownLink>
    )
  }
  if (tag === 'p')
    return token.hidden ? <Fragment key={key}>{children}</Fragment> : <p key={key}>{children}</p>
  if (tag === 'ol') {
    return (
      <ol key={key} start={Number(token.attrGet('start') ?? 1)}>
        {children}
      </ol>
    )
  }
  if (tag === 'th' || tag === 'td') {
    const align = attribute(token, 'style').match(/^text-align:(left|center|right)$/)?.[1]
    return createElement(tag, { key, style: align ? { textAlign: align } : undefined }, ...children)
  }
  if (token.type === 'heading_open') {
    // The page and the session have the first two levels.
    const level = Math.min(6, Number(tag.slice(1)) + 2)
    return createElement(`h${level}`, { key }, ...children)
  }
  if (plainTags.has(tag)) return createElement(tag, { key }, ...children)
  return <Fragment key={key}>{children}</Fragment>
}

function leafOf(token: Token, key: number, isGrowing: boolean): ReactNode {
  switch (token.type) {
    case 'inline':
      return <Fragment key={key}>{renderTokens(token.children ?? [])}</Fragment>
    case 'softbreak':
      return '\n'
    case 'hardbreak':
      return <br key={key} />
    case 'hr':
      return <hr key={key} />
    case 'code_inline':
      return <code key={key}>{token.content}</code>
    case 'fence':
    case 'code_block':
      return <CodeBlock key={key} code={token.content} {...codeInfo(token.info)} isGrowing={isGrowing} />
    case 'image':
      return (
        <MarkdownLink key={key} address={attribute(token, 'src')}>
          {token.content || attribute(token, 'src')}
        </MarkdownLink>
      )
    default:
      return token.content
  }
}

/** Longer addresses are cut here; the whole one is the tooltip. Units: UTF-16 units. */
const shownAddress = 56

/** A link that opens outside and shows its address. Of an address that may not be opened only the words are shown. */
function MarkdownLink({ address, children }: { address: string; children: ReactNode }) {
  if (!isOpenable(address)) return <span title={address}>{children}</span>
  const shown = address.replace(/^(?:https?:\/\/|mailto:)/i, '').replace(/\/$/, '')
  return (
    <a href={address} title={address} target="_blank" rel="noreferrer noopener">
      {children}
      {!isSameText(children, address, shown) && (
        <span className="markdown-address small dim">
          {' '}
          ({shown.length > shownAddress ? `${shown.slice(0, shownAddress)}…` : shown})
        </span>
      )}
    </a>
  )
}

/** True where the label is itself the whole address and needs none beside it. */
function isSameText(children: ReactNode, ...addresses: string[]): boolean {
  const text = [children].flat().every((child) => typeof child === 'string')
    ? [children].flat().join('')
    : null
  return text !== null && addresses.includes(text)
}
