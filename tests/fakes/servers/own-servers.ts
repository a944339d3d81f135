import type { ownApis } from '../../../src/main/models/discovery/own-apis.ts'
import type { ServedChoice } from '../../../src/shared/domain/model/model-profile.ts'
import { type KoboldFaults, startFakeKobold } from './fake-kobold.ts'

/**
 * The faults of requests for text, from the next one on: `closed-before-headers`, `silent` (nothing comes, not even
 * headers where the server can), `silent-midway` and `cut-in-character` after some text, `garbage` instead of events;
 * `busy-once` refuses one request, as a server that loads or whose queue is full, `busy` all.
 */
export const ownFaults = [
  'closed-before-headers',
  'silent',
  'silent-midway',
  'garbage',
  'cut-in-character',
  'busy-once',
  'busy',
] as const
export type OwnFault = (typeof ownFaults)[number]

/** A running fake of a backend that has an API of its own, and what a test does to it. */
export type OwnServer = {
  choice: ServedChoice
  /** The requests so far, as `GET /path`. */
  requests(): string[]
  /** Returns whether it has stopped generating. */
  isIdle(): boolean
  /** Plays this fault from the next request for text on. */
  fail(fault: OwnFault): void
  /** Ends every connection and listens no more, as a killed program. */
  die(): void
  close(): Promise<void>
}

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
 * milliseconds. The tests of recognition and conformance play every one of them.
 */
export const ownServers: Readonly<Record<keyof typeof ownApis, () => Promise<OwnServer>>> = {
  async koboldcpp() {
    const fake = await startFakeKobold({ contextTokens: 2_048, tokenMs: 4 })
    return {
      choice: { backend: 'koboldcpp', address: fake.address },
      requests: () => fake.requests.map(({ method, path }) => `${method} ${path}`),
      fail(fault) {
        fake.faults = koboldFaults[fault]()
      },
      isIdle: () => fake.current?.isRunning !== true,
      die: fake.die,
      close: fake.close,
    }
  },
}
