import type { ownApis } from '../../../src/main/models/discovery/own-apis.ts'
import type { ServedChoice } from '../../../src/shared/domain/model/model-profile.ts'
import { startFakeKobold } from './fake-kobold.ts'

/** A running fake of a backend that has an API of its own, and what a test does to it. */
export type OwnServer = {
  choice: ServedChoice
  /** The requests so far, as `GET /path`. */
  requests(): string[]
  /** Returns whether it has stopped generating. */
  isIdle(): boolean
  /** Ends every connection and listens no more, as a killed program. */
  die(): void
  close(): Promise<void>
}

/**
 * A fake of each backend that has an API of its own: a model with a window of 2,048 tokens, which writes a token in 4
 * milliseconds. The tests of recognition and conformance play every one of them.
 */
export const ownServers: Readonly<Record<keyof typeof ownApis, () => Promise<OwnServer>>> = {
  async koboldcpp() {
    const fake = await startFakeKobold({ contextTokens: 2_048, tokenMs: 4 })
    return {
      choice: { backend: 'koboldcpp', address: fake.address },
      requests: () => fake.requests.map(({ method, path }) => `${method} ${path}`),
      isIdle: () => fake.current?.isRunning !== true,
      die: fake.die,
      close: fake.close,
    }
  },
}
