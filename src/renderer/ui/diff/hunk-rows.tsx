import { useState } from 'react'
import { type HunkBlock, type HunkRow, rowPairs } from '../../../shared/text/difference/hunk-rows.ts'
import { Pieces } from '../verbatim.tsx'

export type CodeLines = readonly (readonly { text: string; className: string }[])[]

export type CodeWords = {
  moreLines: (lines: number) => string
  /** Text for the rest of a line that is too long to show. */
  cut: (characters: number) => string
  /** Text for what a line ends with, where that is the difference. */
  end: Record<'crlf' | 'none', string>
}

type HunkRowsProps = {
  block: HunkBlock
  layout: 'unified' | 'side-by-side'
  oldColours: CodeLines | null
  newColours: CodeLines | null
  words: CodeWords
}

const firstRows = 60
const moreRows = 400

/** The rows of one place, the first of them at once and the rest as they are asked for. */
export function HunkRows({ block, layout, oldColours, newColours, words }: HunkRowsProps) {
  const [limit, setLimit] = useState(firstRows)
  const cell = (row: HunkRow) => (
    <Row
      row={row}
      colours={(row.kind === 'removed' ? oldColours : newColours)?.[row.line - 1]}
      words={words}
    />
  )
  const rows = layout === 'unified' ? [...block.before, ...block.rows, ...block.after] : rowPairs(block)
  const hidden = rows.length - limit
  return (
    <>
      {rows.slice(0, limit).map((row) => {
        if ('kind' in row) return <div key={`${row.kind} ${row.line}`}>{cell(row)}</div>
        const { left, right } = row
        return (
          <div key={`${left?.line} ${right?.line}`} className="hunk-pair">
            {left ? cell(left) : <div className="hunk-none" />}
            {right ? cell(right) : <div className="hunk-none" />}
          </div>
        )
      })}
      {hidden > 0 && (
        <button type="button" className="hunk-more" onClick={() => setLimit(limit + moreRows)}>
          {words.moreLines(hidden)}
        </button>
      )}
    </>
  )
}

/** Longer lines are cut: nobody reads so far, and the window need not lay them out. Units: UTF-16 units. */
const longestLine = 2_000

type RowProps = { row: HunkRow; colours: CodeLines[number] | undefined; words: CodeWords }

const signs = { same: '', removed: '−', added: '+' } as const
const elements = { same: 'span', removed: 'del', added: 'ins' } as const

function Row({ row, colours, words }: RowProps) {
  const Code = elements[row.kind]
  const isLong = row.text.length > longestLine
  return (
    <div className={`hunk-row hunk-${row.kind}`}>
      <span className="hunk-line">{row.line}</span>
      <span className="hunk-sign" aria-hidden="true">
        {signs[row.kind]}
      </span>
      <Code className="hunk-code">
        {isLong ? (
          <>
            <Pieces text={row.text.slice(0, longestLine).replace(/[\uD800-\uDBFF]$/, '')} />
            <span className="hunk-end">{words.cut(row.text.length - longestLine)}</span>
          </>
        ) : (
          <Coloured text={row.text} colours={colours} />
        )}
        {row.end && <span className="hunk-end">{words.end[row.end]}</span>}
      </Code>
    </div>
  )
}

/** Shows a text in its colours. Colours of another text (the file changed, or has other line ends) are not used. */
function Coloured({ text, colours }: { text: string; colours: CodeLines[number] | undefined }) {
  const joined = colours?.map((piece) => piece.text).join('')
  if (!colours || (joined !== text && joined !== `${text}\r`)) return <Pieces text={text} />
  return colours.map((piece, at) => {
    const key = `piece-${at}`
    return (
      <span key={key} className={piece.className || undefined}>
        <Pieces text={piece.text.replace(/\r$/, '')} />
      </span>
    )
  })
}
