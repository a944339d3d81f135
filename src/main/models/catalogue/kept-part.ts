import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readSmallText } from '../../platform/files/read-regular-file.ts'

/** The note beside the part of a file, so that a later host can continue the download. Units: bytes. */
export const PartNote = z.object({
  totalBytes: z.number(),
  receivedBytes: z.number(),
  /** The tag from the server; another tag means another file. */
  tag: z.string().nullable(),
  canResume: z.boolean(),
})
export type PartNote = z.infer<typeof PartNote>

/** The parts of files that are being downloaded, in a hidden folder beside the whole ones. */
export class KeptParts {
  readonly folder: string

  constructor(modelsDir: string) {
    this.folder = join(modelsDir, '.downloads')
  }

  whole(file: string): string {
    return join(this.folder, file)
  }

  async make(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
  }

  /** Returns the note; null where there is no part that could be continued. */
  async read(file: string): Promise<PartNote | null> {
    try {
      const note = PartNote.parse(JSON.parse(await readSmallText(this.#note(file))))
      const names = [this.#part(file), this.whole(file)]
      const found = await Promise.all(names.map((path) => stat(path).catch(() => undefined)))
      return found.some((stats) => stats?.isFile()) ? note : null
    } catch {
      // There is no note, or a crash cut it off: the part is downloaded from its beginning again.
      return null
    }
  }

  async note(file: string, note: PartNote): Promise<void> {
    await writeFile(this.#note(file), JSON.stringify(note), { mode: 0o600 })
  }

  async remove(file: string): Promise<void> {
    const names = [this.#part(file), this.whole(file), this.#note(file)]
    await Promise.all(names.map((path) => rm(path, { force: true })))
  }

  async removeNote(file: string): Promise<void> {
    await rm(this.#note(file), { force: true })
  }

  #note(file: string): string {
    return join(this.folder, `${file}.json`)
  }

  /** Source: ipull's `PROGRESS_FILE_EXTENSION`. */
  #part(file: string): string {
    return join(this.folder, `${file}.ipull`)
  }
}
