import { isAppError } from '../../shared/errors.ts'
import type { Clock, Log } from '../deps.ts'
import type { UnsavedRepository, UnsavedText } from '../store/unsaved-repository.ts'
import type { DiskCopy } from './disk-copy.ts'

/**
 * The entries of an open document in the store: that it is open, and text that could not be written to its file yet.
 *
 * A store that cannot write (a full disk) does not stop the document: the text is still written to its file.
 */
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

  /** Returns the text that an earlier host kept. */
  find(): UnsavedText | undefined {
    const found = this.#repository.find(this.#copy.path)
    this.#isKept = found !== undefined
    return found
  }

  /** Keeps a text in the store; where that fails, too, the text stays in memory. */
  keep(text: string): void {
    const { path: file, hash: baseHash } = this.#copy
    if (this.#note(() => this.#repository.keep({ file, baseHash, at: this.#clock.now(), text }))) {
      this.#isKept = true
    }
  }

  /** Removes the kept text; where that fails, the next saving tries again. */
  forget(): void {
    if (this.#isKept && this.#note(() => this.#repository.discard(this.#copy.path))) this.#isKept = false
  }

  opened(): void {
    this.#note(() => this.#repository.opened(this.#copy.path, this.#clock.now()))
  }

  saved(at: number): void {
    this.#note(() => this.#repository.saved(this.#copy.path, at))
  }

  closed(): void {
    this.#note(() => this.#repository.closed(this.#copy.path))
  }

  /** Returns true where the store was written. */
  #note(write: () => void): boolean {
    try {
      write()
      return true
    } catch (error) {
      if (isAppError(error, 'file/disk-full')) this.#log.write('warn', 'document.not-noted')
      else this.#log.bug(error, 'document.note')
      return false
    }
  }
}
