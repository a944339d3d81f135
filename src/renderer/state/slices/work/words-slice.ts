import type { NextWords, TakeBranch } from '../../../../shared/domain/drafting/next-words.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { languageOfText } from '../../../../shared/text/text-language.ts'
import type { WordBox } from '../../../editor/editor-types.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/** A word of a take. Units: UTF-16 of its text. */
type WordSpan = { from: number; to: number }

/** The word that the pointer rests on, with others in its place. Shape: `answer` is null until they have come. */
type HoveredWord = {
  takeId: string
  at: number
  box: WordBox
  answer: NextWords | null
  error: ErrorInfo | null
}

/** Time that the pointer may take from a word to the other words beside it. Units: milliseconds. */
const leaveMs = 300

export function createWordsSlice({ client, get, patch }: SliceContext) {
  let asking = new AbortController()
  let hovering = new AbortController()
  let leaving: ReturnType<typeof setTimeout> | undefined
  /** Models that report no probabilities, by profile. */
  const silent = new Set<string>()

  const writeFrom = async (branch: TakeBranch) => {
    const path = get().documents.activePath
    if (path === null) return
    const offer = get().runs.offers[path]
    if (offer === undefined) return void (await get().runs.start({ path, branch }))
    // One take is wanted, however many the offered one came with.
    const { isEndless: _, takes: __, ...same } = offer.wish
    await get().runs.start({ ...same, path, branch })
  }

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
    takeId: null as string | null,
    text: '',
    /** The word that others are shown for. */
    shown: null as WordSpan | null,
    answer: null as NextWords | null,
    isAsking: false,
    error: null as ErrorInfo | null,
    hovered: null as HoveredWord | null,

    async open(takeId: string, at: number) {
      const text = get().takes.list.find((take) => take.takeId === takeId)?.text ?? ''
      const words = wordSpans(text)
      if (words.length === 0) return
      patch('words', { takeId, text })
      get().ui.open({ kind: 'words' })
      await show(words.find(({ to }) => to > at) ?? words.at(-1) ?? null)
    },
    async step(by: -1 | 1) {
      const { shown, text } = get().words
      const words = wordSpans(text)
      const next = words[words.findIndex(({ from }) => from === shown?.from) + by]
      if (next) await show(next)
    },
    /** Writes a sibling of the take, which goes on from this word. */
    async choose(word: string) {
      const { takeId, answer } = get().words
      get().words.close()
      if (takeId !== null && answer !== null) await writeFrom({ takeId, at: answer.at, word })
    },
    close() {
      asking.abort()
      patch('words', { takeId: null, answer: null, isAsking: false })
      get().ui.close()
    },

    /** Shows other words beside the pointer. Nothing is shown where the model reports none. */
    async hover(takeId: string, at: number, box: WordBox) {
      const { profileId } = get().models.status
      const text = get().takes.list.find((take) => take.takeId === takeId)?.text ?? ''
      const word = wordSpans(text).find(({ from, to }) => from <= at && at < to)
      if (word === undefined || profileId === null || silent.has(profileId)) return
      clearTimeout(leaving)
      const { hovered } = get().words
      if (hovered?.takeId === takeId && hovered.at === word.from) return
      hovering.abort()
      hovering = new AbortController()
      const { signal } = hovering
      const shown = { takeId, at: word.from, box, answer: null, error: null }
      patch('words', { hovered: shown })
      try {
        const answer = await client['draft.words']({ takeId, at: word.from }, { signal })
        if (!signal.aborted) patch('words', { hovered: { ...shown, answer } })
      } catch (error) {
        if (signal.aborted) return
        const info = infoOf(error)
        if (info.code === 'model/no-probabilities') silent.add(profileId)
        // The author did not ask: only an error that helps is shown.
        const isSaid = info.code !== 'model/no-probabilities' && info.code !== 'run/busy'
        patch('words', { hovered: isSaid ? { ...shown, error: info } : null })
      }
    },
    /** Hides the other words soon after the pointer left the word, unless the pointer is on them. */
    leave() {
      clearTimeout(leaving)
      leaving = setTimeout(() => get().words.unhover(), leaveMs)
    },
    /** The pointer is on the other words, which stay. */
    hold: () => clearTimeout(leaving),
    /** Does the same as `choose` for the word that the pointer rested on. */
    async chooseHovered(word: string) {
      const { hovered } = get().words
      get().words.unhover()
      if (hovered?.answer) await writeFrom({ takeId: hovered.takeId, at: hovered.answer.at, word })
    },
    unhover() {
      clearTimeout(leaving)
      hovering.abort()
      if (get().words.hovered !== null) patch('words', { hovered: null })
    },
  }
}

/** Returns the words of a text, without spaces and signs. */
function wordSpans(text: string): WordSpan[] {
  const segmenter = new Intl.Segmenter(languageOfText(text) ?? 'ja', { granularity: 'word' })
  return [...segmenter.segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ index, segment }) => ({ from: index, to: index + segment.length }))
}
