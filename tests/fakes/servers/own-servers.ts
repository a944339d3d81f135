import type { ownApis } from '../../../src/main/models/discovery/own-apis.ts'
import { type KoboldFaults, startFakeKobold } from './fake-kobold.ts'
import type { OwnFault, OwnModel, OwnServer } from './own-server-kit.ts'

const koboldFaults: Record<OwnFault, () => KoboldFaults> = {
  'closed-before-headers': () => ({ dropsStreams: true }),
  silent: () => ({ hangAfterTokens: 0 }),
  'silent-midway': () => ({ hangAfterTokens: 6 }),
  garbage: () => ({ isGarbage: true }),
  'cut-in-character': () => ({ cutsInCharacter: true }),
  'busy-once': () => ({ busy: 1 }),
  busy: () => ({ busy: Number.POSITIVE_INFINITY }),
}

/**
 * A fake of each backend that has an API of its own: a model with a window of 2,048 tokens, which writes a token in 4
 * milliseconds. The tests of recognition, conformance and faults play every one of them.
 */
export const ownServers: Readonly<Record<keyof typeof ownApis, (model?: OwnModel) => Promise<OwnServer>>> = {
  async koboldcpp({ answerTokens } = {}) {
    const fake = await startFakeKobold({
      contextTokens: 2_048,
      tokenMs: 4,
      ...(answerTokens !== undefined && { answer: '雨'.repeat(answerTokens) }),
    })
    return {
      choice: { backend: 'koboldcpp', address: fake.address },
      requests: fake.requests,
      fail(fault) {
        fake.faults = koboldFaults[fault]()
      },
      isIdle: () => fake.current?.isRunning !== true,
      die: fake.die,
      close: fake.close,
    }
  },
}
