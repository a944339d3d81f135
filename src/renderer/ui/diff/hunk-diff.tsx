import '../code.css'
import './hunk-diff.css'
import { useMemo, useState } from 'react'
import {
  type HunkBlock,
  type HunkRow,
  hunkBlocks,
  rowPairs,
  shownLines,
} from '../../../shared/text/difference/hunk-rows.ts'
import type { Hunk } from '../../../shared/text/difference/hunks.ts'
import { Pieces } from '../verbatim.tsx'

export type HunkWords = CodeWords & {
  label: string
  same: string
  /** "Place 2 (lines 12–14)". */
  place: (number: number, lines: string) => string
  take: string
  refuse: string
  skipped: (lines: number) => string
  moreHunks: (hunks: number) => string
}

type HunkDiffProps = {
  hunks: readonly Hunk[]
  newText: string
  layout: 'unified' | 'side-by-side'
  /** Both texts in the colours of their language, line by line; null while there are none. */
  oldColours: CodeLines | null
  newColours: CodeLines | null
  words: HunkWords
  /** Which places are refused, and how to change that; without it the places can only be looked at. */
  choice?: { refused: readonly number[]; onChange: (refused: number[]) => void }
}

const firstHunks = 5
const moreHunks = 20

/** The places in which two texts differ, each with its lines around; long ones are folded. */
export function HunkDiff({ hunks, newText, layout, oldColours, newColours, words, choice }: HunkDiffProps) {
  const [limit, setLimit] = useState(firstHunks)
  const blocks = useMemo(() => hunkBlocks(hunks, shownLines(newText)), [hunks, newText])
  const hidden = blocks.length - limit
  if (blocks.length === 0) return <p className="hunk-skip">{words.same}</p>
  return (
    // biome-ignore lint/a11y/useSemanticElements: a gate has one for each file, and they are no landmarks
    <div className="hunk-diff" role="group" aria-label={words.label}>
      {blocks.slice(0, limit).map((block) => (
        <div key={block.hunk.index}>
          {block.skipped > 0 && <p className="hunk-skip">{words.skipped(block.skipped)}</p>}
          <HunkHead block={block} words={words} choice={choice} />
          <div className={choice?.refused.includes(block.hunk.index) ? 'hunk-refused' : undefined}>
            <HunkRows
              block={block}
              layout={layout}
              oldColours={oldColours}
              newColours={newColours}
              words={words}
            />
          </div>
        </div>
      ))}
      {hidden > 0 && (
        <button type="button" className="hunk-more" onClick={() => setLimit(limit + moreHunks)}>
          {words.moreHunks(hidden)}
        </button>
      )}
    </div>
  )
}

type HunkHeadProps = { block: HunkBlock; words: HunkWords; choice: HunkDiffProps['choice'] }

function HunkHead({ block: { hunk }, words, choice }: HunkHeadProps) {
  const name = words.place(hunk.index + 1, linesText(hunk))
  const isRefused = choice?.refused.includes(hunk.index) ?? false
  const others = choice?.refused.filter((index) => index !== hunk.index) ?? []
  return (
    <div className="row hunk-head">
      <span className="grow">{name}</span>
      {choice && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced with every line of the place
        <div className="hunk-choice" role="group" aria-label={name}>
          <button type="button" aria-pressed={!isRefused} onClick={() => choice.onChange(others)}>
            {words.take}
          </button>
          <button
            type="button"
            aria-pressed={isRefused}
            onClick={() => choice.onChange([...others, hunk.index])}
          >
            {words.refuse}
          </button>
        </div>
      )}
    </div>
  )
}

/** Returns the numbers of the new lines, or of the old ones where there are none. */
function linesText({ newFrom, newLines, oldFrom, oldLines }: Hunk): string {
  const [from, count] = newLines.length > 0 ? [newFrom, newLines.length] : [oldFrom, oldLines.length]
  return count === 1 ? String(from) : `${from}–${from + count - 1}`
}

type CodeLines = readonly (readonly { text: string; className: string }[])[]

type CodeWords = {
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
function HunkRows({ block, layout, oldColours, newColours, words }: HunkRowsProps) {
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

/** Longer lines are cut, so that the window need not lay them out. Units: UTF-16 units. */
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
