import { lstat } from 'node:fs/promises'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../platform/files/disk.ts'

/**
 * The contents of files that are left in a command's copy. A file with such a content may have been renamed: where it lay
 * before, it must stay, or its text is lost. Empty files do not count.
 */
export class StrandedContents {
  readonly #disk: Pick<Disk, 'readPlain'>
  readonly #sizes = new Set<number>()
  readonly #contents = new Set<string>()

  constructor(disk: Pick<Disk, 'readPlain'>) {
    this.#disk = disk
  }

  /** Adds a file; does nothing where none is there. */
  async add(path: string): Promise<void> {
    const sizeBytes = await sizeOf(path)
    if (sizeBytes === 0) return
    this.#sizes.add(sizeBytes)
    this.#contents.add(await this.#contentOf(path, sizeBytes))
  }

  async hasFile(path: string): Promise<boolean> {
    if (this.#sizes.size === 0) return false
    const sizeBytes = await sizeOf(path)
    return this.#sizes.has(sizeBytes) && this.#contents.has(await this.#contentOf(path, sizeBytes))
  }

  has(bytes: Uint8Array): boolean {
    return this.#sizes.has(bytes.length) && this.#contents.has(contentHash(bytes))
  }

  /** Files that are too large, or cannot be read, are compared by their size. */
  #contentOf(path: string, sizeBytes: number): Promise<string> {
    return this.#disk.readPlain(path, limitChangedBytes).then(contentHash, () => `${sizeBytes} bytes`)
  }
}

async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined)
  return stats?.isFile() ? stats.size : 0
}
