import '../code.css'
import './hunk-diff.css'
import { useMemo, useState } from 'react'
import { type HunkBlock, hunkBlocks, shownLines } from '../../../shared/text/difference/hunk-rows.ts'
import type { Hunk } from '../../../shared/text/difference/hunks.ts'
import { type CodeLines, type CodeWords, HunkRows } from './hunk-rows.tsx'

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
    <div className="hunk-head">
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
