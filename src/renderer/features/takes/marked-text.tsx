import type { WordSpan } from '../../../shared/domain/drafting/word-span.ts'
import { useWords } from '../../state/store-context.tsx'

/** Part of a take's text, which begins at `from` of it, with its uncertain words marked. Units: UTF-16. */
export function MarkedText({
  text,
  from,
  words = [],
}: {
  text: string
  from: number
  words?: WordSpan[] | undefined
}) {
  const { t } = useWords()
  const own = words
    .map((word) => ({ from: Math.max(0, word.from - from), to: word.to - from }))
    .filter((word) => word.to > word.from && word.to <= text.length)
  return (
    <>
      {own.map((word, index) => (
        <span key={word.from}>
          {text.slice(own[index - 1]?.to ?? 0, word.from)}
          <span className="take-uncertain" title={t('editor.uncertain')}>
            {text.slice(word.from, word.to)}
          </span>
        </span>
      ))}
      {text.slice(own.at(-1)?.to ?? 0)}
    </>
  )
}
