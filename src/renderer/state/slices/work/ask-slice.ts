import type { AnswerEvent, Quotations } from '../../../../shared/domain/work/find.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/**
 * A model's answer to a question. Shape: `given`: how many of the places it reads, null until that is known; `isCut`: it
 * ended at the limit of tokens.
 */
export type ModelAnswer = {
  given: number | null
  text: string
  isCut: boolean
  state: 'running' | 'finished' | 'stopped' | 'failed'
  error: ErrorInfo | null
}

/** Questions about the open work, answered with places of its texts, and by a model from these where it is asked. */
export function createAskSlice({ client, get, patch }: SliceContext) {
  let asked = 0
  /** The question for which the shown places were found. */
  let answered = ''
  let answering: AbortController | undefined

  return {
    question: '',
    answer: null as Quotations | null,
    isBusy: false,
    error: null as ErrorInfo | null,
    modelAnswer: null as ModelAnswer | null,
    /** The number of the place that the author went to last, from 1. */
    visited: null as number | null,
    /** The question is to have the focus as soon as it is shown. */
    isFocusWanted: false,

    setQuestion: (question: string) => patch('ask', { question }),
    async ask() {
      const workId = get().work.current?.workId
      const question = get().ask.question.trim()
      if (workId === undefined || question === '') return
      const mine = ++asked
      answering?.abort()
      patch('ask', { isBusy: true, error: null, modelAnswer: null, visited: null })
      try {
        await get().documents.flushAll()
        const answer = await client['work.ask']({ workId, question })
        if (mine !== asked) return
        answered = question
        patch('ask', { answer, isBusy: false })
      } catch (error) {
        if (mine === asked) patch('ask', { error: infoOf(error), answer: null, isBusy: false })
      }
    },
    /** Has the model answer the question that the places were found for. */
    async askModel() {
      const workId = get().work.current?.workId
      if (workId === undefined || get().ask.answer === null) return
      answering?.abort()
      const mine = new AbortController()
      answering = mine
      let value: ModelAnswer = { given: null, text: '', isCut: false, state: 'running', error: null }
      const show = (change: Partial<ModelAnswer>) => {
        value = { ...value, ...change }
        if (answering === mine) patch('ask', { modelAnswer: value })
      }
      show({})
      try {
        await get().documents.flushAll()
        const events = client['lore.answer']({ workId, question: answered }, { signal: mine.signal })
        for await (const event of events) {
          if (event.type === 'places' && answering === mine) patch('ask', { answer: event })
          show(told(value, event))
        }
        show({ state: mine.signal.aborted ? 'stopped' : 'finished' })
      } catch (error) {
        show(mine.signal.aborted ? { state: 'stopped' } : { state: 'failed', error: infoOf(error) })
      }
    },
    stopModel: () => answering?.abort(),
    visit: (nth: number) => patch('ask', { visited: nth }),
    /** Shows the question, with what was found for it, beside the text. */
    show() {
      if (get().ui.view !== 'manuscript') get().ui.showView('manuscript')
      get().ui.showTab('ask')
      patch('ask', { isFocusWanted: true })
    },
    focused: () => patch('ask', { isFocusWanted: false }),
    /** Forgets all of a work that is left. */
    leave() {
      asked += 1
      answering?.abort()
      answering = undefined
      const nothing = { answer: null, error: null, modelAnswer: null, visited: null }
      patch('ask', { ...nothing, question: '', isBusy: false })
    },
  }
}

function told({ text }: ModelAnswer, event: AnswerEvent): Partial<ModelAnswer> {
  if (event.type === 'places') return { given: event.given }
  if (event.type === 'cut') return { isCut: true }
  return { text: event.type === 'text' ? text + event.text : event.text }
}
