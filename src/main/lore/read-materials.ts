import type { Stats } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { LoreCandidate, LoreEntry, UnreadLore } from '../../shared/domain/lore/lore.ts'
import type { WorkFile } from '../../shared/domain/work/work-file.ts'
import { AppError } from '../../shared/errors.ts'
import { isWhiteSpace, trimWhere, trimWhiteSpace } from '../../shared/text/white-space.ts'
import type { DocumentService } from '../documents/document-service.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import type { Disk } from '../platform/files/disk.ts'
import { inTime } from '../platform/files/read-regular-file.ts'
import { inOrder } from '../platform/in-order.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import { readSettings, splitFrontMatter } from './front-matter.ts'
import { isSummaryFile, orFailure } from './material-files.ts'

/** Largest material that is read as an entry: no prompt has room for more. */
const limitEntryBytes = 2_000_000

/** Files looked at together, and how long the disk may take for it before each is asked for alone. */
const statsAtOnce = 250
const limitStatMs = 250
const readAtOnce = 16

type FileStamp = { mtimeMs: number; sizeBytes: number }

type ReadFile = { stamp: FileStamp; entry: LoreEntry | null; candidate: LoreCandidate | null }

/** The materials of a work as they were last, all of them read. Shape: `stamps` are in the order of `paths`. */
type LastListed = {
  files: readonly WorkFile[]
  paths: readonly string[]
  absolutes: readonly string[]
  stamps: readonly (FileStamp | undefined)[]
  listed: ListedLore
}

/**
 * The materials of a work: entries, what could become one, and what cannot be read. `revision`: another one once any of
 * these files has changed; empty where there are none.
 */
export type ListedLore = {
  entries: LoreEntry[]
  candidates: LoreCandidate[]
  unread: UnreadLore[]
  revision: string
}

/** Returns a function that reads the materials of a work; files that did not change are read once. */
export function createMaterialReader(deps: {
  disk: Disk
  works: Pick<WorkService, 'rootOf' | 'get'>
  documents: Pick<DocumentService, 'read' | 'flush'>
  /** How long the file system may take to answer. Tests shorten it. */
  stallMs?: number
}): (workId: string) => Promise<ListedLore> {
  const { disk, works, documents } = deps
  /** Files that were read, by the work's folder and the path in it: a file in two open works has an entry for each. */
  const files = new Map<string, ReadFile>()
  const last = new Map<string, LastListed>()

  async function readAll(workId: string): Promise<ListedLore> {
    const root = works.rootOf(workId)
    const { files: all } = works.get(workId)
    const before = last.get(root)
    const paths = before?.files === all ? before.paths : all.filter(isPossibleEntry).map(({ path }) => path)
    const absolutes = before?.files === all ? before.absolutes : paths.map((path) => join(root, path))
    const looked = await lookAtAll(absolutes)
    const isUnchanged = (path: string, at: number) =>
      path === before?.paths[at] && isSame(looked[at], before.stamps[at])
    if (before !== undefined && before.paths.length === paths.length && paths.every(isUnchanged))
      return before.listed
    const listed = await readChanged(root, paths, looked)
    // A file that could not be read is tried again, since new permissions leave its time and size.
    if (listed.unread.length > 0) last.delete(root)
    else last.set(root, { files: all, paths, absolutes, stamps: looked, listed })
    return listed
  }

  /** Reads what has changed since it was read. Shape: `looked` in the order of `paths`. */
  async function readChanged(
    root: string,
    paths: readonly string[],
    looked: readonly (FileStamp | undefined)[],
  ): Promise<ListedLore> {
    // All at once, so that a disk that does not answer is waited for only once.
    const examined = await Promise.all(
      paths.map(
        async (path, at) =>
          looked[at] ?? orFailure(path, inTime(examine(join(root, path)), path, deps.stallMs)),
      ),
    )
    const found = new Map<string, ReadFile | UnreadLore>()
    const unknown: { path: string; stats: FileStamp }[] = []
    for (const [at, path] of paths.entries()) {
      const stats = examined[at]
      if (stats === undefined) continue
      if ('error' in stats) {
        found.set(path, stats)
        continue
      }
      const known = files.get(idOf(root, path))
      if (known !== undefined && isSame(known.stamp, stats)) found.set(path, known)
      else unknown.push({ path, stats })
    }
    const read = ({ path, stats }: (typeof unknown)[number]) => orFailure(path, readOne(root, path, stats))
    const results = inOrder(unknown, read, { items: readAtOnce })
    for (const { path } of unknown) {
      const { value } = await results.next()
      if (value !== undefined) found.set(path, value)
    }
    return listedOf(paths, found)
  }

  /**
   * Looks at files, with their unsaved text written, in much less time than `examine` takes for each. Shape: in the order
   * of `absolutes`; undefined where `examine` has to find out.
   */
  async function lookAtAll(absolutes: readonly string[]): Promise<(FileStamp | undefined)[]> {
    const looked: (FileStamp | undefined)[] = []
    for (let from = 0; from < absolutes.length; from += statsAtOnce) {
      const group = absolutes.slice(from, from + statsAtOnce)
      const look = async () => {
        await Promise.all(group.map((absolute) => documents.flush(absolute)))
        return disk.lstatAll(group)
      }
      const stats = await inTime(look(), group[0] ?? '', limitStatMs).catch(() => undefined)
      // A disk that does not answer at once is asked for each file.
      if (stats === undefined) return looked
      looked.push(...stats.map((one) => (one?.isFile() ? stampOf(one) : undefined)))
    }
    return looked
  }

  /** Examines a file, with its unsaved text written; undefined where it was removed. */
  async function examine(absolute: string): Promise<FileStamp | undefined> {
    await documents.flush(absolute)
    const stats = await disk.stat(absolute)
    if (stats !== undefined) return stampOf(stats)
    // A link to nothing is still there.
    if ((await disk.lstat(absolute)) === undefined) return undefined
    throw new AppError({ code: 'file/not-found', path: absolute })
  }

  async function readOne(root: string, path: string, stamp: FileStamp): Promise<ReadFile> {
    const { sizeBytes } = stamp
    if (sizeBytes > limitEntryBytes)
      throw new AppError({ code: 'file/too-large', path, sizeBytes, limitBytes: limitEntryBytes })
    const { text } = await documents.read({ root, path })
    const file = { stamp, ...readEntry(path, text) }
    files.set(idOf(root, path), file)
    return file
  }

  return readAll
}

function stampOf({ mtimeMs, size }: Pick<Stats, 'mtimeMs' | 'size'>): FileStamp {
  return { mtimeMs, sizeBytes: size }
}

/** False where one of them is not known. */
function isSame(one: FileStamp | undefined, other: FileStamp | undefined): boolean {
  return one !== undefined && one.mtimeMs === other?.mtimeMs && one.sizeBytes === other.sizeBytes
}

function idOf(root: string, path: string): string {
  return JSON.stringify([root, path])
}

/** Sorts materials by what they are. Shape: `found` lacks those that were removed. */
function listedOf(paths: readonly string[], found: ReadonlyMap<string, ReadFile | UnreadLore>): ListedLore {
  const listed: ListedLore = { entries: [], candidates: [], unread: [], revision: '' }
  const seen: string[] = []
  for (const path of paths) {
    const file = found.get(path)
    if (file === undefined) continue
    seen.push(`${path}\n${'error' in file ? file.error.code : JSON.stringify(file.stamp)}`)
    if ('error' in file) listed.unread.push(file)
    else if (file.entry !== null) listed.entries.push(file.entry)
    else if (file.candidate !== null) listed.candidates.push(file.candidate)
  }
  if (seen.length > 0) listed.revision = contentHash(seen.join('\n'))
  return listed
}

function isPossibleEntry({ path, kind }: WorkFile): boolean {
  return kind === 'material' && !isSummaryFile({ path, kind })
}

/** Reads a material: an entry, or what could become one. */
export function readEntry(path: string, source: string): Pick<ReadFile, 'entry' | 'candidate'> {
  const { yaml, text: body, bodyFrom } = splitFrontMatter(source)
  const name = basename(path, extname(path))
  const read = yaml === null ? undefined : readSettings(yaml)
  if (!read?.isEntry) return { entry: null, candidate: { path, keys: proposedKeys(name, body) } }
  const problems = read.problem === null ? [] : [read.problem]
  const text = trimWhiteSpace(body)
  const textFrom = bodyFrom + body.indexOf(text)
  return { entry: { ...read.settings, path, name, text, textFrom, problems }, candidate: null }
}

/** Proposes keys: the file's name, and the headings that are short enough to be names. */
function proposedKeys(name: string, text: string): string[] {
  const headings = [...text.matchAll(/^#{1,6}[ \t　]+(.+)$/gmu)].map((match) =>
    // A heading may be closed by signs like those that begin it.
    trimWhere(match[1] ?? '', (codeUnit) => isWhiteSpace(codeUnit) || codeUnit === 0x23),
  )
  return [...new Set([name, ...headings])].filter((key) => key !== '' && key.length <= 40).slice(0, 8)
}
