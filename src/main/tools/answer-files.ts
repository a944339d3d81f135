import { contentHash } from '../platform/files/content-hash.ts'
import type { FoundPath, ToolOperations } from './tool-operations.ts'

/** Files above this are neither changed nor moved by a tool. Units: bytes. */
const limitFileBytes = 50_000_000

/**
 * A path as one call of an answer sees it: with the changes of earlier calls that have not been carried out yet.
 *
 * Shape: `bytes` and `hash` are null where there is no file; `isPending`: an earlier, pending call gives this state.
 */
export type SeenFile = FoundPath & { bytes: Uint8Array | null; hash: string | null; isPending: boolean }

export type See = (path: string) => Promise<SeenFile>

/** The files after a change. Shape: real path → bytes; null: no such file. */
export type FileOutcome = ReadonlyMap<string, Uint8Array | null>

type Step = { outcome: FileOutcome; isDone: boolean; again: () => Promise<FileOutcome> }

/** The files of one answer: its changes in order, each applied to the result of those before it. */
export class AnswerFiles {
  readonly #operations: Pick<ToolOperations, 'locate' | 'read'>
  readonly #steps: Step[] = []

  constructor(operations: Pick<ToolOperations, 'locate' | 'read'>) {
    this.#operations = operations
  }

  /** The index that the next change gets. */
  get next(): number {
    return this.#steps.length
  }

  /** Adds a change; `again` computes it anew on the files as they are then. */
  add(outcome: FileOutcome, again: () => Promise<FileOutcome>): void {
    this.#steps.push({ outcome, isDone: false, again })
  }

  /** Marks a change as carried out: its files are read from disk from now on. */
  done(index: number): void {
    const step = this.#steps[index]
    if (step !== undefined) step.isDone = true
  }

  /** Replaces the outcome of a change that was computed anew. */
  setOutcome(index: number, outcome: FileOutcome): void {
    const step = this.#steps[index]
    if (step !== undefined) step.outcome = outcome
  }

  /** Computes the changes before `index` that are not carried out yet anew, in order. */
  async refresh(index: number): Promise<void> {
    for (const step of this.#steps.slice(0, index)) {
      if (!step.isDone) step.outcome = await step.again()
    }
  }

  /** Returns a function that sees paths as the change at `index` does. Errors: as `locate` and `read`. */
  before(index: number): See {
    return async (path) => {
      const found = await this.#operations.locate(path)
      const steps = this.#steps.slice(0, index)
      const last = steps.findLast(({ isDone, outcome }) => !isDone && outcome.has(found.path))
      if (last !== undefined) {
        const bytes = last.outcome.get(found.path) ?? null
        return {
          ...found,
          kind: bytes === null ? 'none' : 'file',
          sizeBytes: bytes?.length ?? null,
          missing: bytes === null ? found.path.split('/').slice(-1) : [],
          bytes,
          hash: bytes === null ? null : contentHash(bytes),
          isPending: true,
        }
      }
      if (found.kind !== 'file') return { ...found, bytes: null, hash: null, isPending: false }
      const { bytes, hash } = await this.#operations.read(path, limitFileBytes)
      return { ...found, bytes, hash, isPending: false }
    }
  }
}
