import type { Quotation } from '../../../../shared/domain/work/quotation.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/** Questions about the open work, answered with places of its texts. */
export type AskSlice = {
  question: string
  answer: { quotations: Quotation[]; unread: string[] } | null
  isBusy: boolean
  error: ErrorInfo | null
  setQuestion(question: string): void
  ask(): Promise<void>
  /** Forgets the answer; the question stays. */
  clear(): void
}

export function createAskSlice({ client, get, patch }: SliceContext): AskSlice {
  let asked = 0
  return {
    question: '',
    answer: null,
    isBusy: false,
    error: null,

    setQuestion: (question) => patch('ask', { question }),
    async ask() {
      const workId = get().work.current?.workId
      const question = get().ask.question.trim()
      if (workId === undefined || question === '') return
      const mine = ++asked
      patch('ask', { isBusy: true, error: null })
      try {
        const { byPath, flush } = get().documents
        await Promise.all(Object.keys(byPath).map((path) => flush(path)))
        const answer = await client['work.ask']({ workId, question })
        if (mine === asked) patch('ask', { answer, isBusy: false })
      } catch (error) {
        if (mine === asked) patch('ask', { error: infoOf(error), answer: null, isBusy: false })
      }
    },
    clear() {
      asked += 1
      patch('ask', { answer: null, error: null, isBusy: false })
    },
  }
}
