import type { NextWords } from '../../../../shared/domain/drafting/next-words.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { languageOfText } from '../../../../shared/text/text-language.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/** A word of a take. Units: UTF-16 of its text. */
type WordSpan = { from: number; to: number }

/** Other words for one of a take that is offered. */
export type WordsSlice = {
  takeId: string | null
  text: string
  /** The word that others are shown for. */
  shown: WordSpan | null
  answer: NextWords | null
  isAsking: boolean
  error: ErrorInfo | null
  open(takeId: string, at: number): Promise<void>
  /** Goes to the word before or after. */
  step(by: -1 | 1): Promise<void>
  /** Writes a sibling of the take, which goes on from this word. */
  choose(word: string): Promise<void>
  close(): void
}

export function createWordsSlice({ client, get, patch }: SliceContext): WordsSlice {
  let asking = new AbortController()

  const show = async (shown: WordSpan | null) => {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    const { takeId } = get().words
    patch('words', { shown, answer: null, error: null, isAsking: shown !== null })
    if (takeId === null || shown === null) return
    try {
      const answer = await client['draft.words']({ takeId, at: shown.from }, { signal })
      if (!signal.aborted) patch('words', { answer, isAsking: false })
    } catch (error) {
      if (!signal.aborted) patch('words', { error: infoOf(error), isAsking: false })
    }
  }

  return {
    takeId: null,
    text: '',
    shown: null,
    answer: null,
    isAsking: false,
    error: null,

    async open(takeId, at) {
      const text = get().takes.list.find((take) => take.takeId === takeId)?.text ?? ''
      const words = wordSpans(text)
      if (words.length === 0) return
      patch('words', { takeId, text })
      get().ui.open({ kind: 'words' })
      await show(words.find(({ to }) => to > at) ?? words.at(-1) ?? null)
    },
    async step(by) {
      const { shown, text } = get().words
      const words = wordSpans(text)
      const next = words[words.findIndex(({ from }) => from === shown?.from) + by]
      if (next) await show(next)
    },
    async choose(word) {
      const { takeId, answer } = get().words
      const path = get().documents.activePath
      get().words.close()
      if (takeId === null || answer === null || path === null) return
      const wish = get().runs.offers[path]?.wish ?? { path }
      await get().runs.start({ ...wish, path, branch: { takeId, at: answer.at, word } })
    },
    close() {
      asking.abort()
      patch('words', { takeId: null, answer: null, isAsking: false })
      get().ui.close()
    },
  }
}

/** The words of a text, without spaces and signs. */
function wordSpans(text: string): WordSpan[] {
  const segmenter = new Intl.Segmenter(languageOfText(text) ?? 'ja', { granularity: 'word' })
  return [...segmenter.segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ index, segment }) => ({ from: index, to: index + segment.length }))
}
