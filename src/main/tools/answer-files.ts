import { contentHash } from '../platform/files/content-hash.ts'
import type { FoundPath, ToolOperations } from './tool-operations.ts'

/** Files above this are neither changed nor moved by a tool. Units: bytes. */
const limitFileBytes = 50_000_000

/**
 * A path as a call of an answer finds it: as the calls before it leave it, where they have not been carried out.
 *
 * Shape: `bytes` and `hash` null where no file is; `isPending`: it is as an earlier call would leave it.
 */
export type SeenFile = FoundPath & { bytes: Uint8Array | null; hash: string | null; isPending: boolean }

export type See = (path: string) => Promise<SeenFile>

/** What a change makes of files. Shape: real path → bytes; null: no such file. */
export type FileOutcome = ReadonlyMap<string, Uint8Array | null>

type Step = { outcome: FileOutcome; isDone: boolean; again: () => Promise<FileOutcome> }

/** The files of one answer: its changes in order, each made on what the ones before it leave. */
export class AnswerFiles {
  readonly #operations: Pick<ToolOperations, 'locate' | 'read'>
  readonly #steps: Step[] = []

  constructor(operations: Pick<ToolOperations, 'locate' | 'read'>) {
    this.#operations = operations
  }

  /** The place of the next change. */
  get next(): number {
    return this.#steps.length
  }

  /** `again` makes the change anew on what is there then. */
  add(outcome: FileOutcome, again: () => Promise<FileOutcome>): void {
    this.#steps.push({ outcome, isDone: false, again })
  }

  /** From now on the disk tells what this change did. */
  done(index: number): void {
    const step = this.#steps[index]
    if (step !== undefined) step.isDone = true
  }

  /** What a change would make of files now. */
  setOutcome(index: number, outcome: FileOutcome): void {
    const step = this.#steps[index]
    if (step !== undefined) step.outcome = outcome
  }

  /** Makes the open changes before `index` anew, in their order. */
  async refresh(index: number): Promise<void> {
    for (const step of this.#steps.slice(0, index)) {
      if (!step.isDone) step.outcome = await step.again()
    }
  }

  /** Looks as the change at `index` does. Errors: as `locate` and `read`. */
  before(index: number): See {
    return async (path) => {
      const found = await this.#operations.locate(path)
      const steps = this.#steps.slice(0, index)
      const last = steps.findLast(({ isDone, outcome }) => !isDone && outcome.has(found.path))
      if (last !== undefined) {
        const bytes = last.outcome.get(found.path) ?? null
        const names = found.path.split('/')
        return {
          path: found.path,
          kind: bytes === null ? 'none' : 'file',
          sizeBytes: bytes?.length ?? null,
          missing: bytes === null ? names.slice(-1) : [],
          isLink: found.isLink,
          ...(found.root === undefined ? {} : { root: found.root }),
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
