import { extname } from 'node:path'
import { Document } from 'yaml'
import { isOfFrontMatter, type LoreEntry, type UnreadLore } from '../../../shared/domain/lore/lore.ts'
import type { LoreImportPlan } from '../../../shared/domain/lore/lore-exchange.ts'
import type { WorkFile } from '../../../shared/domain/work/work-file.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Random } from '../../deps.ts'
import { replaceFile, tempFileName } from '../../platform/files/atomic-file.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { failWith, toFileError } from '../../platform/files/file-error.ts'
import { needAbsolute, plainFileName } from '../../platform/files/real-path.ts'
import { runModule, ThreadLimitError, type ThreadLimits } from '../../platform/node/limited-thread.ts'
import type { WorkService } from '../../workspace/work/work-service.ts'
import { withSettings } from '../front-matter.ts'
import type { LoreService } from '../lore-service.ts'
import { patternOf } from '../match-lore.ts'
import { materialFolderOf } from '../material-files.ts'
import type { ImportedEntry } from './imported-entry.ts'
import type { ImportedLorebook } from './read-lorebook.ts'

/** Largest file: a picture may be large; a lorebook of 10,000 entries is smaller. */
const limitFileBytes = 20_000_000
const limitBegins = 120
const readingLimits: ThreadLimits = { ms: 30_000, mb: 512 }
const limitNameChars = 60

/**
 * The report of an export. `off`: entries whose settings cannot be read, written as switched off; `unread`: materials
 * that cannot be read, which are not written.
 */
type LoreExport = { path: string; count: number; off: string[]; unread: UnreadLore[] }

/** Moves entries between a work and the files of other programs. */
export function createLoreExchange(deps: {
  disk: Disk
  random: Random
  hostId: string
  works: Pick<WorkService, 'get' | 'manuscripts' | 'createFiles'>
  list: LoreService['list']
  /** Lower limits for tests. */
  readingLimits?: ThreadLimits
}) {
  const { disk, random, hostId, works } = deps

  async function read(workId: string, file: string) {
    needAbsolute(file)
    const bytes = await disk.read(file, limitFileBytes).catch(failWith(file))
    const { moduleUrl } = await import('./read-lorebook.ts')
    const limits = deps.readingLimits ?? readingLimits
    const reading = runModule<ImportedLorebook | undefined>(moduleUrl, bytes, limits)
    const lorebook = await reading.catch((error: unknown) => {
      throw error instanceof ThreadLimitError ? new AppError({ code: 'file/too-complex', path: file }) : error
    })
    if (lorebook === undefined || lorebook.entries.length === 0)
      throw new AppError({ code: 'lore/bad-import', path: file })
    const { files } = works.get(workId)
    const texts = lorebook.entries.slice(0, 20).map(({ text }) => text)
    const names = fileNames(lorebook.entries, files, materialFolderOf(files, texts.join('\n')))
    return { hash: contentHash(bytes), lorebook, names }
  }

  return {
    /** Returns what an import would make. Errors: `lore/bad-import`, `file/too-large`, `file/too-complex`, `file/…`. */
    async plan(workId: string, file: string): Promise<LoreImportPlan> {
      const { hash, lorebook, names } = await read(workId, file)
      return {
        file,
        hash,
        format: lorebook.format,
        empty: lorebook.empty,
        tooMany: lorebook.tooMany,
        entries: lorebook.entries.map((entry, index) => ({
          path: names[index] ?? '',
          name: entry.name,
          keys: keysOf(entry),
          always: entry.settings.always,
          enabled: entry.settings.enabled,
          begins: entry.text.trim().slice(0, limitBegins),
          losses: [...entry.losses],
        })),
      }
    },

    /** Makes the files of a plan, all or none. Errors: as `plan`; `file/changed` where the file has changed since. */
    async importFrom(workId: string, file: string, hash: string): Promise<string[]> {
      const { hash: now, lorebook, names } = await read(workId, file)
      if (now !== hash) throw new AppError({ code: 'file/changed', path: file })
      const files: { path: string; text: string }[] = []
      for (const [index, entry] of lorebook.entries.entries()) {
        files.push({ path: names[index] ?? '', text: fileText(entry) })
        // Lets the host serve other requests meanwhile.
        if (index % 20 === 19) await new Promise((next) => setImmediate(next))
      }
      await works.createFiles(workId, files)
      return names
    },

    /** Writes all entries as SillyTavern's world info. Errors: `file/exists`, `file/…`. */
    async exportTo(workId: string, target: string): Promise<LoreExport> {
      needAbsolute(target)
      const path = extname(target).toLowerCase() === '.json' ? target : `${target}.json`
      const { entries, unread } = await deps.list(workId)
      try {
        if ((await disk.stat(path)) !== undefined) throw new AppError({ code: 'file/exists', path })
        const bytes = Buffer.from(`${JSON.stringify(writeTavernLorebook(entries), null, 2)}\n`)
        await replaceFile(disk, path, bytes, { tempName: tempFileName(hostId, random), expectedHash: null })
      } catch (error) {
        throw toFileError(error, path)
      }
      const off = entries.filter(({ problems }) => problems.some(isOfFrontMatter)).map((entry) => entry.path)
      return { path, count: entries.length, off, unread }
    },
  }
}

/**
 * Returns the text of a new file. Its front matter holds the settings, and under `imported` the fields that we do not
 * read.
 */
function fileText(entry: ImportedEntry): string {
  const { text, settings, kept } = entry
  const document = new Document(Object.keys(kept).length === 0 ? {} : { imported: kept })
  return withSettings(document, { ...settings, keys: keysOf(entry) }, `${text.trim()}\n`)
}

/** Returns an entry's keys; one without keys gets its name as a key. */
function keysOf({ name, settings: { keys, always } }: ImportedEntry): string[] {
  return keys.length === 0 && !always && name !== '' ? [name] : keys
}

function fileNames(entries: readonly ImportedEntry[], known: readonly WorkFile[], folder: string): string[] {
  const used = new Set(known.map(({ path }) => path.toLowerCase().normalize('NFC')))
  const next = new Map<string, number>()
  return entries.map(({ name, settings }) => {
    const own = [name, settings.keys[0] ?? ''].map((text) => plainFileName(text, limitNameChars))
    const stem = own.find((one) => one !== '') ?? 'entry'
    // Entries of one name continue the last one's number: counting each from one would take quadratic time.
    for (let count = next.get(stem) ?? 1; ; count += 1) {
      const path = `${folder}/${count === 1 ? stem : `${stem} ${count}`}.md`
      const id = path.toLowerCase().normalize('NFC')
      if (used.has(id)) continue
      used.add(id)
      next.set(stem, count + 1)
      return path
    }
  })
}

/**
 * Writes entries as SillyTavern's world info. What it has no field for stands in `extensions.tsugi` of the entry, which
 * `read-lorebook.ts` reads again.
 *
 * Source: SillyTavern, `world-info.js`, the template of a new entry.
 */
export function writeTavernLorebook(entries: readonly LoreEntry[]): { entries: Record<string, unknown> } {
  return { entries: Object.fromEntries(entries.map((entry, uid) => [String(uid), tavernEntry(entry, uid)])) }
}

function tavernEntry(entry: LoreEntry, uid: number) {
  const { name, text, keys, also, never, always, priority, enabled, range } = entry
  // In SillyTavern an entry has one list of secondary keys: all of them must appear, or none of them.
  const isExclusive = also.length === 0 && never.length > 0
  const own = {
    ...(also.length > 0 && never.length > 0 ? { never } : {}),
    ...(range === null ? {} : { range }),
  }
  return {
    uid,
    key: keys.map(tavernKey),
    keysecondary: (isExclusive ? never : also).map(tavernKey),
    comment: name,
    content: text,
    constant: always,
    selective: also.length > 0 || isExclusive,
    selectiveLogic: isExclusive ? 2 : 3,
    addMemo: true,
    order: priority,
    position: 0,
    disable: !enabled,
    excludeRecursion: false,
    preventRecursion: false,
    probability: 100,
    useProbability: true,
    depth: 4,
    group: '',
    scanDepth: null,
    caseSensitive: null,
    matchWholeWords: null,
    displayIndex: uid,
    ...(Object.keys(own).length === 0 ? {} : { extensions: { tsugi: own } }),
  }
}

/** Adds the flags that our expressions always have, so that SillyTavern ignores the case as well. */
function tavernKey(key: string): string {
  return patternOf(key) === undefined ? key : `${key}iu`
}
