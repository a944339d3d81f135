import type { ReferenceAnswers } from '../../../../shared/domain/session/file-reference.ts'
import {
  isTooLong,
  limitMessageLength,
  type MessageSegment,
} from '../../../../shared/domain/session/message-segment.ts'
import type { FileItem, SessionItem } from '../../../../shared/domain/session/session-item.ts'
import type { TextEncoding } from '../../../../shared/domain/work/text-encoding.ts'
import { AppError } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { unsentKey } from '../unsent-slice.ts'

/** True where the file came with the message that began the last turn, and not with an answer or beside it. */
export function isOfLastMessage(items: readonly SessionItem[], file: FileItem): boolean {
  const before = items.filter(({ kind, seq }) => kind !== 'file' && seq < file.seq).at(-1)
  const last = items.findLast((item) => item.kind === 'user' && item.how !== 'beside')
  return before !== undefined && before.itemId === last?.itemId
}

/** The state of the files that messages name, and the questions to the user about them. */
export function createReferencesSlice({ get, patch }: SliceContext) {
  // A file's encoding stays the same: this window asks the user for it once. By folder.
  const chosen: Record<string, Record<string, TextEncoding>> = {}
  const encodingsHere = () => {
    const encodings = chosen[get().work.current?.workId ?? ''] ?? {}
    chosen[get().work.current?.workId ?? ''] = encodings
    return encodings
  }
  let answered: (allowed: string[] | null) => void = () => undefined

  const ask = (secrets: readonly string[]) => {
    answered(null)
    const { promise, resolve } = Promise.withResolvers<string[] | null>()
    answered = resolve
    patch('references', { secrets })
    return promise
  }

  return {
    /** Secrets in the message that is about to be sent; null while nothing is asked. */
    secrets: null as readonly string[] | null,

    /** Says which of them may be sent this once; null: the message is not sent. */
    answerSecrets(allowed: string[] | null) {
      patch('references', { secrets: null })
      answered(allowed)
    },
    /**
     * Sends a message that names files, and asks the user where necessary. Null: he would rather not send it.
     *
     * Errors: those of `send`, but for `reference/secret`; `session/message-too-long`.
     */
    async sendAsking<T>(
      segments: readonly MessageSegment[],
      send: (answers: ReferenceAnswers) => Promise<T>,
    ) {
      if (isTooLong(segments))
        throw new AppError({ code: 'session/message-too-long', limit: limitMessageLength })
      let answers: ReferenceAnswers = { encodings: { ...encodingsHere() } }
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
    /**
     * Says how a file is to be read that could be read in two ways. The last message is sent again then; where that
     * would take away more than its answers, the file goes into the box.
     */
    async readAs(item: FileItem, encoding: TextEncoding) {
      const { conversation, composer, unsent } = get()
      const { path, range, turn } = item
      encodingsHere()[path] = encoding
      if (isOfLastMessage(conversation.current?.items ?? [], item)) return void (await composer.resend(turn))
      const written = unsent.byKey[unsentKey(get())] ?? []
      composer.fillBox([...written, { kind: 'file-ref', path, range }])
    },
  }
}
