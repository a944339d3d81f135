import type { ReferenceAnswers } from '../../shared/domain/file-reference.ts'
import type { TextEncoding } from '../../shared/domain/text-encoding.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

/** What is known of the files that messages name, and what the user is asked about them. */
export type ReferencesSlice = {
  /** Secrets in the message that is about to be sent; null while nothing is asked. */
  secrets: readonly string[] | null
  /** What of them may be sent this once; null: the message is not sent. */
  answerSecrets(allowed: string[] | null): void
  /**
   * Sends what names files, and asks the user where it has to be asked. Null: he would rather not send it.
   *
   * Errors: those of `send`, but for `reference/secret`.
   */
  sendAsking<T>(send: (answers: ReferenceAnswers) => Promise<T>): Promise<T | null>
  /** Says how a file is to be read that could be read in two ways, and sends its message again. */
  readAs(turn: number, path: string, encoding: TextEncoding): Promise<void>
}

export function createReferencesSlice({ get, patch }: SliceContext): ReferencesSlice {
  // A file's encoding stays what it is: whoever chose it once is not asked again by this window.
  const encodings: Record<string, TextEncoding> = {}
  let answered: (allowed: string[] | null) => void = () => undefined

  const ask = (secrets: readonly string[]) => {
    answered(null)
    const { promise, resolve } = Promise.withResolvers<string[] | null>()
    answered = resolve
    patch('references', { secrets })
    return promise
  }

  return {
    secrets: null,
    answerSecrets(allowed) {
      patch('references', { secrets: null })
      answered(allowed)
    },
    async sendAsking(send) {
      let answers: ReferenceAnswers = { encodings: { ...encodings } }
      for (;;) {
        try {
          return await send(answers)
        } catch (error) {
          const info = infoOf(error)
          if (info.code !== 'reference/secret') throw error
          const allowed = await ask(info.paths)
          if (allowed === null) return null
          answers = { ...answers, allowSecrets: [...(answers.allowSecrets ?? []), ...allowed] }
        }
      }
    },
    async readAs(turn, path, encoding) {
      encodings[path] = encoding
      await get().sessions.resend(turn)
    },
  }
}
