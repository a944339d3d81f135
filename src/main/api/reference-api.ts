import type { Api } from '../../shared/contract/index.ts'
import type { referenceContract } from '../../shared/contract/reference.ts'
import type { ReferenceCompletion } from '../references/reference-completion.ts'

/** Creates the API of completion behind an `@`. */
export function createReferenceApi(parts: {
  completion: ReferenceCompletion
  /** Errors: `work/not-open`. */
  rootOf(workId: string): string
}): Pick<Api, keyof typeof referenceContract> {
  const { completion, rootOf } = parts
  return {
    'reference.complete': async ({ workId, ...query }) => completion.complete(rootOf(workId), query),
    'reference.refresh': async ({ workId }) => {
      completion.refresh(rootOf(workId))
      return {}
    },
  }
}
