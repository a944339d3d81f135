import { basename, join } from 'node:path'
import { z } from 'zod'
import { DraftDetails } from '../../../shared/domain/drafting/draft-details.ts'
import type { WorkFileProblem } from '../../../shared/domain/work/work.ts'
import { PageChoice } from '../../../shared/domain/work/work-file.ts'
import { WritingDay, WritingGoal } from '../../../shared/domain/work/writing-progress.ts'
import { AppError, type ErrorInfo, isAppError } from '../../../shared/errors.ts'
import type { Random } from '../../deps.ts'
import { isTempFileName, replaceFile, tempFileName } from '../../platform/files/atomic-file.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { toFileError } from '../../platform/files/file-error.ts'
import { readInside } from '../../platform/files/real-path.ts'

const knownVersion = 1
/** The details of a long work are some hundred kilobytes. */
const limitBytes = 20_000_000

/** Content of `work.json`. Shape: keys that are not named here are kept as they are. */
const WorkJson = DraftDetails.extend({
  version: z.literal(knownVersion).default(knownVersion),
  /** Manuscripts in the author's order; what is not listed follows in natural order. */
  order: z.array(z.string()).default([]),
  /** Text files that are not what their place says: relative path → kind. */
  kinds: z.record(z.string(), z.enum(['manuscript', 'material'])).default({}),
  /** Texts whose page the author chose himself: relative path → page. */
  pages: z.record(z.string(), PageChoice).default({}),
  /** The amount that the author wants to write a day, and has written. */
  goal: WritingGoal.nullable().default(null),
  days: z.array(WritingDay).default([]),
  /** The project file that this work was made of. */
  importedFrom: z.object({ name: z.string(), hash: z.string() }).optional(),
})
export type WorkJson = z.infer<typeof WorkJson>

export const emptyWorkJson: WorkJson = WorkJson.parse({})

/** `work.json` as it is on disk. Shape: `raw` null: there is none yet, or none that can be read. */
export type WorkJsonFile = { raw: Record<string, unknown> | null; values: WorkJson }

type Deps = { disk: Disk; hostId: string; random: Random }

/**
 * Reads `work.json` of a folder; a folder without one has the empty values.
 *
 * Errors: `work/bad-file` where it is damaged or newer; it is left as it is. `file/outside` where it is a link out
 * of the folder; `file/failed`, `file/too-large` where it is no file that we read.
 */
export async function readWorkJson(disk: Disk, root: string): Promise<WorkJsonFile> {
  const { raw } = await readRaw(disk, root)
  return { raw, values: parseWorkJson(raw ?? {}) }
}

/** Reads `work.json`, and returns the problem where it cannot be read, so that the folder opens all the same. */
export async function examineWorkJson(disk: Disk, root: string) {
  try {
    return { ...(await readWorkJson(disk, root)), problem: null }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { raw: null, values: emptyWorkJson, problem: problemOf(error.info) }
  }
}

/** A change of `work.json`, or how it follows from the present content; null where nothing is to be written. */
export type WorkPatch = Partial<WorkJson> | ((now: WorkJson) => Partial<WorkJson> | null)

/**
 * Merges `patch` into the present content of `work.json`, whoever wrote it; creates the file where there is none.
 * A link stays a link: its target is written, inside of the folder only.
 *
 * Errors: as `readWorkJson`: what cannot be read is never written over; `file/changed`, `file/disk-full` and so on.
 */
export async function patchWorkJson(deps: Deps, root: string, patch: WorkPatch): Promise<void> {
  const { raw, hash, absolute } = await readRaw(deps.disk, root)
  const before = parseWorkJson(raw ?? {})
  const changes = typeof patch === 'function' ? patch(before) : patch
  if (changes === null) return
  const values = { ...before, ...changes }
  await replaceFile(deps.disk, absolute, bytesOf(values, raw ?? {}), {
    tempName: tempFileName(deps.hostId, deps.random),
    expectedHash: hash,
    beforeRename: async () => {
      if ((await readRaw(deps.disk, root)).hash !== hash)
        throw new AppError({ code: 'file/changed', path: workFileName })
    },
  })
}

/**
 * Puts a `work.json` that cannot be read aside, under a free name beside it, and keeps in a new one every value
 * that could be read.
 *
 * Shape: the name that it has now; null where nothing was wrong. Nothing is removed: what stood there is renamed
 * as it is, be it a file, a link or anything else.
 */
export async function repairWorkJson(deps: Deps, root: string): Promise<string | null> {
  const { disk } = deps
  const { problem } = await examineWorkJson(disk, root)
  if (problem === null) return null
  const values = problem === 'damaged' ? await readableValues(disk, root) : {}
  const folder = await disk.pinFolder(root)
  try {
    const aside = await freeName(disk, folder.path)
    await disk.rename(join(folder.path, workFileName), join(folder.path, aside))
    if (Object.keys(values).length > 0) {
      const bytes = bytesOf(WorkJson.parse(values), values)
      const tempName = tempFileName(deps.hostId, deps.random)
      await replaceFile(disk, join(root, workFileName), bytes, { tempName, expectedHash: null })
    }
    return aside
  } catch (error) {
    throw toFileError(error, workFileName)
  } finally {
    await folder.close()
  }
}

function bytesOf(values: WorkJson, raw: Record<string, unknown>): Buffer {
  const bytes = Buffer.from(`${JSON.stringify({ ...raw, ...withoutDefaults(values, raw) }, null, 2)}\n`)
  // A file above the limit could not be read again.
  if (bytes.length > limitBytes)
    throw new AppError({ code: 'file/too-large', path: workFileName, sizeBytes: bytes.length, limitBytes })
  return bytes
}

/** Leaves out default values, unless their keys are in the file already. */
function withoutDefaults(values: WorkJson, raw: Record<string, unknown>): Record<string, unknown> {
  const defaults: Record<string, unknown> = emptyWorkJson
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key, value]) =>
        key === 'version' || key in raw || JSON.stringify(value) !== JSON.stringify(defaults[key]),
    ),
  )
}

async function readRaw(disk: Disk, root: string) {
  const file = await readInside(disk, root, workFileName, limitBytes)
  if (file === null) return { raw: null, hash: null, absolute: join(root, workFileName) }
  const { bytes, absolute } = file
  const raw = recordOf(bytes)
  if (raw === null) throw bad('not JSON')
  return { raw, hash: contentHash(bytes), absolute }
}

function recordOf(bytes: Buffer): Record<string, unknown> | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  } catch {
    // Bad JSON, too deep JSON and bad UTF-8 throw different errors; all of them mean an unreadable file.
    return null
  }
}

function parseWorkJson(raw: Record<string, unknown>): WorkJson {
  const parsed = WorkJson.safeParse(raw)
  if (parsed.success) return parsed.data
  const reason = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
  const { version } = raw
  throw bad(typeof version === 'number' && version > knownVersion ? newerReason : reason)
}

const newerReason = 'version'

function bad(reason: string): AppError {
  return new AppError({ code: 'work/bad-file', path: workFileName, reason })
}

/** Returns the keys of a damaged file that have valid values, and unknown keys. */
async function readableValues(disk: Disk, root: string): Promise<Record<string, unknown>> {
  const file = await readInside(disk, root, workFileName, limitBytes)
  const raw = (file === null ? null : recordOf(file.bytes)) ?? {}
  const shape: Record<string, z.ZodType> = WorkJson.shape
  return Object.fromEntries(
    Object.entries(raw).filter(([key, value]) => shape[key]?.safeParse(value).success ?? true),
  )
}

function problemOf(info: ErrorInfo): WorkFileProblem {
  if (info.code === 'work/bad-file') return info.reason === newerReason ? 'newer' : 'damaged'
  if (info.code === 'file/outside') return 'outside'
  if (info.code === 'file/too-large') return 'too-large'
  return 'unreadable'
}

async function freeName(disk: Disk, folder: string): Promise<string> {
  const stem = basename(workFileName, '.json')
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? `${stem}.broken.json` : `${stem}.broken-${count}.json`
    if ((await disk.lstat(join(folder, name))) === undefined) return name
  }
}

/** Name of the file in a work's folder that holds the work's details, order and kinds. */
export const workFileName = 'work.json'

/** Folders whose content the app or Git reads as instructions. */
const reservedFolders = new Set(['.tsugi', '.git'])

/**
 * Refuses names that the app itself reads or writes: no request of a window makes, renames or removes them.
 *
 * Shape: `path` is relative to the work's real folder, links resolved. Letter case and composition do not count,
 * since not every file system tells them apart.
 * Errors: `file/bad-name`.
 */
export function refuseReservedName(path: string): void {
  const names = path.split('/').map((name) => name.normalize('NFKC').toLowerCase())
  const isOwn =
    names[0] === workFileName || names.some((name) => reservedFolders.has(name) || isTempFileName(name))
  if (isOwn) throw new AppError({ code: 'file/bad-name', name: path })
}
