import './text-diff.css'
import { useMemo } from 'react'
import { lineDiff } from '../../../shared/text/difference/line-diff.ts'

type TextDiffProps = {
  before: string
  after: string
  words: { label: string; same: string; skipped: (lines: number) => string }
}

/** Shows the difference of two texts; changes are marked by a sign and a name, not by colour alone. */
export function TextDiff({ before, after, words }: TextDiffProps) {
  const rows = useMemo(() => lineDiff(before, after), [before, after])
  if (rows.length === 0) return <p className="diff-same">{words.same}</p>
  return (
    <section className="diff serif" aria-label={words.label}>
      {rows.map((row, index) => {
        const key = `row-${index}`
        if (row.kind === 'skip') {
          return (
            <p key={key} className="diff-skip">
              {words.skipped(row.lines)}
            </p>
          )
        }
        return (
          <p key={key} className="diff-line">
            {row.pieces.map((piece, at) => {
              const pieceKey = `${key}-${at}`
              if (piece.kind === 'removed') return <del key={pieceKey}>{piece.text}</del>
              if (piece.kind === 'added') return <ins key={pieceKey}>{piece.text}</ins>
              return <span key={pieceKey}>{piece.text}</span>
            })}
          </p>
        )
      })}
    </section>
  )
}
