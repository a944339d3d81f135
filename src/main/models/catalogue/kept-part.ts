import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readSmallText } from '../../platform/files/read-regular-file.ts'

/** The note beside the part of a file, so that a later host can continue the download. Units: bytes. */
const PartNote = z.object({
  totalBytes: z.number(),
  receivedBytes: z.number(),
  /** The tag from the server; another tag means another file. */
  tag: z.string().nullable(),
  canResume: z.boolean(),
})
export type PartNote = z.infer<typeof PartNote>

/** The parts of files that are being downloaded, in a hidden folder beside the whole ones. */
export function keptParts(modelsDir: string) {
  const folder = join(modelsDir, '.downloads')
  const whole = (file: string) => join(folder, file)
  const noteOf = (file: string) => join(folder, `${file}.json`)
  /** Source: ipull's `PROGRESS_FILE_EXTENSION`. */
  const partOf = (file: string) => join(folder, `${file}.ipull`)
  return {
    folder,
    whole,
    make: () => mkdir(folder, { recursive: true, mode: 0o700 }),
    /** Returns the note; null where there is no part that could be continued. */
    async read(file: string): Promise<PartNote | null> {
      try {
        const note = PartNote.parse(JSON.parse(await readSmallText(noteOf(file))))
        const names = [partOf(file), whole(file)]
        const found = await Promise.all(names.map((path) => stat(path).catch(() => undefined)))
        return found.some((stats) => stats?.isFile()) ? note : null
      } catch {
        // There is no note, or a crash cut it off: the part is downloaded from its beginning again.
        return null
      }
    },
    note: (file: string, note: PartNote) => writeFile(noteOf(file), JSON.stringify(note), { mode: 0o600 }),
    async remove(file: string): Promise<void> {
      const names = [partOf(file), whole(file), noteOf(file)]
      await Promise.all(names.map((path) => rm(path, { force: true })))
    },
    removeNote: (file: string) => rm(noteOf(file), { force: true }),
  }
}
