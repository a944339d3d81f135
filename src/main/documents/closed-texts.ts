import type { Random } from '../deps.ts'
import type { Disk } from '../platform/files/disk.ts'
import { DiskCopy } from './disk-copy.ts'

/** Maximum total length of the texts in memory. Units: UTF-16. */
const limitChars = 5_000_000

/**
 * Texts of files that are not open, for prompts that are repeatedly built from a whole work: a file is read once, and
 * again when its `stat` shows a change.
 */
export class ClosedTexts {
  #deps: { disk: Disk; hostId: string; random: Random }
  #texts = new Map<string, { copy: DiskCopy; text: string }>()
  #chars = 0

  constructor(deps: { disk: Disk; hostId: string; random: Random }) {
    this.#deps = deps
  }

  /** Errors: `file/not-found`, `file/not-text`, `file/too-large`, `file/denied`. */
  async read(absolute: string): Promise<string> {
    const known = this.#texts.get(absolute)
    if (known !== undefined && (await known.copy.isUntouched())) {
      // The newest is at the end: the oldest is forgotten first.
      this.#texts.delete(absolute)
      this.#texts.set(absolute, known)
      return known.text
    }
    this.#forget(absolute)
    const copy = new DiskCopy(this.#deps, absolute)
    const text = await copy.readText()
    this.#forget(absolute)
    this.#texts.set(absolute, { copy, text })
    this.#chars += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= limitChars) break
      this.#forget(oldest)
    }
    return text
  }

  #forget(absolute: string): void {
    this.#chars -= this.#texts.get(absolute)?.text.length ?? 0
    this.#texts.delete(absolute)
  }
}
