import type { Clock, Log } from '../deps.ts'
import type { UnsavedRepository, UnsavedText } from '../store/unsaved-repository.ts'
import type { DiskCopy } from './disk-copy.ts'

/** Text that its file refuses, kept in the store until the file takes it. */
export class KeptText {
  #clock: Clock
  #log: Log
  #repository: UnsavedRepository
  #copy: DiskCopy
  #isKept = false

  constructor(deps: { clock: Clock; log: Log; unsaved: UnsavedRepository }, copy: DiskCopy) {
    this.#clock = deps.clock
    this.#log = deps.log
    this.#repository = deps.unsaved
    this.#copy = copy
  }

  /** What an earlier host kept. */
  find(): UnsavedText | undefined {
    const found = this.#repository.find(this.#copy.path)
    this.#isKept = found !== undefined
    return found
  }

  /** A store that refuses too (the same full disk) leaves the text where it is: in memory. */
  keep(text: string): void {
    const { path: file, hash: baseHash } = this.#copy
    try {
      this.#repository.keep({ file, baseHash, at: this.#clock.now(), text })
      this.#isKept = true
    } catch (error) {
      this.#log.bug(error, 'document.keep-text')
    }
  }

  forget(): void {
    if (this.#isKept) this.#repository.discard(this.#copy.path)
    this.#isKept = false
  }
}
