import type { Api } from '../../../src/shared/contract/index.ts'
import type { ReferenceAnswers } from '../../../src/shared/domain/session/file-reference.ts'
import type { MessageSegment } from '../../../src/shared/domain/session/message-segment.ts'
import { AppError } from '../../../src/shared/errors.ts'
import type { FakeHost } from './fake-host.ts'

export function referenceApi({ references }: FakeHost) {
  return {
    'reference.complete': async ({ query, limit }) => {
      const { isComplete } = references
      const candidates = references.candidates(query, limit)
      await references.held.get(query)
      return { candidates, isComplete }
    },
    'reference.refresh': async () => ({}),
  } satisfies Partial<Api>
}

/** Like the real host, asks about secrets before anything is sent. */
export function refuseSecrets(
  { references }: FakeHost,
  segments: readonly MessageSegment[],
  answers: ReferenceAnswers | undefined,
): void {
  if (answers?.allowSecrets !== undefined) return
  const paths = segments.flatMap((one) =>
    one.kind === 'file-ref' && references.secrets.includes(one.path) ? [one.path] : [],
  )
  if (paths.length > 0) throw new AppError({ code: 'reference/secret', paths })
}
