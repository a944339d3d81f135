import type { Api } from '../../shared/contract/index.ts'
import type { unsentContract } from '../../shared/contract/unsent.ts'
import type { UnsentMessages } from '../sessions/unsent-messages.ts'

/** Creates the API of unsent messages. */
export function createUnsentApi(unsent: UnsentMessages): Pick<Api, keyof typeof unsentContract> {
  return {
    'unsent.watch': ({ workId }, { signal }) => unsent.watch(workId, signal),
    'unsent.keep': async ({ workId, message }) => ({ seq: unsent.keep(workId, message) }),
  }
}
