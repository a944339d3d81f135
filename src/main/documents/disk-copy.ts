import type { Stats } from 'node:fs'
import { delay } from '../../shared/delay.ts'
import { AppError } from '../../shared/errors.ts'
import type { Clock, Random } from '../deps.ts'
import { isReadOnlyMode, replaceFile, tempFileName } from '../platform/files/atomic-file.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import type { Disk } from '../platform/files/disk.ts'
import { toFileError } from '../platform/files/file-error.ts'
import { readTextFile } from '../platform/files/text-file.ts'

/** Larger files are not manuscripts, and reading one would block everything else. */
const limitFileBytes = 50_000_000
/** Time for which another program may be replacing a file that is missing, or writing one that is empty. Units: ms. */
const replacedWithinMs = 300

/** The present file on disk. Shape: `bytes` null: there is no file; `isKnown`: it is what we last read or wrote. */
export type DiskSnapshot = { bytes: Buffer | null; isKnown: boolean; isReadOnly: boolean }

/**
 * The file of an open document, and its content as we last knew it.
 *
 * `look` costs one `stat` as long as nothing changed; the content is compared by hash, so that our own writes and a
 * mere touch do not count as changes.
 */
export class DiskCopy {
  path: string
  readonly #deps: { disk: Disk; hostId: string; random: Random }
  #hash: string | null = null
  #print = ''

  constructor(deps: { disk: Disk; hostId: string; random: Random }, path: string) {
    this.path = path
    this.#deps = deps
  }

  /** The hash of the content on which the document is based; null: no file. */
  get hash(): string | null {
    return this.#hash
  }

  /** Errors: `file/too-large`, `file/denied`, `file/failed`. */
  async look(): Promise<DiskSnapshot> {
    try {
      const stats = await this.#deps.disk.stat(this.path)
      if (stats === undefined) return { bytes: null, isKnown: this.#hash === null, isReadOnly: false }
      if (!stats.isFile()) throw new AppError({ code: 'file/not-text', path: this.path })
      if (stats.size > limitFileBytes) {
        const size = { sizeBytes: stats.size, limitBytes: limitFileBytes }
        throw new AppError({ code: 'file/too-large', path: this.path, ...size })
      }
      const isReadOnly = isReadOnlyMode(stats.mode) || !(await this.#deps.disk.canWrite(this.path))
      const bytes = await this.#deps.disk.read(this.path, limitFileBytes)
      // The hash of a large file takes as long as reading it.
      const isKnown = this.#hash !== null && contentHash(bytes) === this.#hash
      if (isKnown) this.#print = printOf(stats)
      return { bytes, isKnown, isReadOnly }
    } catch (error) {
      throw toFileError(error, this.path)
    }
  }

  /** As `look`, but looks again after a delay for a file that is missing, or empty and was not before. */
  async settledSnapshot(clock: Clock): Promise<DiskSnapshot> {
    const snapshot = await this.look()
    if (snapshot.isKnown || (snapshot.bytes?.length ?? 0) > 0 || this.#hash === null) return snapshot
    await delay(clock, replacedWithinMs)
    return this.look()
  }

  /** Returns the text on disk, with LF line ends. Errors: `file/not-found`, `file/not-text` and those of `look`. */
  async readText(): Promise<string> {
    // The `stat` is from before the read, so that a text that was read during a write does not count as the newest.
    const stats = await this.#deps.disk.stat(this.path)
    const { bytes } = await this.look()
    if (bytes === null || stats === undefined) throw new AppError({ code: 'file/not-found', path: this.path })
    this.#hash = contentHash(bytes)
    this.#print = printOf(stats)
    return readTextFile(bytes, this.path).doc.toString()
  }

  async isUntouched(): Promise<boolean> {
    const stats = await this.#deps.disk.stat(this.path)
    return stats === undefined ? this.#hash === null : printOf(stats) === this.#print
  }

  /** Sets the content on which the document is based. */
  async adopt(bytes: Uint8Array | null): Promise<void> {
    this.#hash = bytes === null ? null : contentHash(bytes)
    const stats = await this.#deps.disk.stat(this.path)
    this.#print = stats === undefined ? '' : printOf(stats)
  }

  /** Sets the hash of the content on which the document is based, whatever the file has now; null: no file. */
  baseOn(hash: string | null): void {
    this.#hash = hash
    this.#print = ''
  }

  /** Errors: `file/changed` where the file is not as we last knew it; else as `replaceFile`. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#refuseChanged()
    await replaceFile(this.#deps.disk, this.path, bytes, {
      tempName: tempFileName(this.#deps.hostId, this.#deps.random),
      expectedHash: this.#hash,
      beforeRename: () => this.#refuseChanged(),
    })
    await this.adopt(bytes)
  }

  async #refuseChanged(): Promise<void> {
    if (await this.isUntouched()) return
    if (!(await this.look()).isKnown) throw new AppError({ code: 'file/changed', path: this.path })
  }
}

function printOf({ ino, size, mtimeMs, ctimeMs, mode }: Stats): string {
  return `${ino}:${size}:${mtimeMs}:${ctimeMs}:${mode}`
}

/** Maximum total length of the texts in memory. Units: UTF-16. */
const limitChars = 5_000_000

/**
 * Texts of files that are not open, for prompts that are repeatedly built from a whole work: a file is read once, and
 * again when its `stat` shows a change.
 */
export function createClosedTexts(deps: { disk: Disk; hostId: string; random: Random }) {
  const texts = new Map<string, { copy: DiskCopy; text: string }>()
  let chars = 0

  function forget(absolute: string): void {
    chars -= texts.get(absolute)?.text.length ?? 0
    texts.delete(absolute)
  }

  return {
    /** Errors: `file/not-found`, `file/not-text`, `file/too-large`, `file/denied`. */
    async read(absolute: string): Promise<string> {
      const known = texts.get(absolute)
      if (known !== undefined && (await known.copy.isUntouched())) {
        // The newest is at the end: the oldest is forgotten first.
        texts.delete(absolute)
        texts.set(absolute, known)
        return known.text
      }
      forget(absolute)
      const copy = new DiskCopy(deps, absolute)
      const text = await copy.readText()
      forget(absolute)
      texts.set(absolute, { copy, text })
      chars += text.length
      for (const oldest of texts.keys()) {
        if (chars <= limitChars) break
        forget(oldest)
      }
      return text
    },
  }
}
