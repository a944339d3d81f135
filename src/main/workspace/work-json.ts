import { basename, join } from 'node:path'
import { z } from 'zod'
import { DraftDetails } from '../../shared/domain/draft-details.ts'
import { AppError } from '../../shared/errors.ts'
import type { Random } from '../deps.ts'
import { replaceFile, tempFileName } from '../platform/atomic-file.ts'
import { contentHash } from '../platform/content-hash.ts'
import type { Disk } from '../platform/disk.ts'
import { toFileError } from '../platform/file-error.ts'

export const workFileName = 'work.json'
const knownVersion = 1

/** What a work keeps beside its texts. Shape: keys that are not named here are kept as they are. */
const WorkJson = DraftDetails.extend({
  version: z.literal(knownVersion).default(knownVersion),
  /** Manuscripts in the author's order; what is not listed follows in natural order. */
  order: z.array(z.string()).default([]),
  /** Text files that are not what their place says: relative path → kind. */
  kinds: z.record(z.string(), z.enum(['manuscript', 'material'])).default({}),
  /** The project file that this work was made of. */
  importedFrom: z.object({ name: z.string(), hash: z.string() }).optional(),
})
export type WorkJson = z.infer<typeof WorkJson>

export const emptyWorkJson: WorkJson = WorkJson.parse({})

/** `work.json` as it stands. Shape: `raw` null = there is none yet. */
export type WorkJsonFile = { raw: Record<string, unknown> | null; values: WorkJson }

/**
 * Reads `work.json` of a folder; a folder without one has the empty values.
 *
 * Errors: `work/bad-file` where it is damaged or newer; it is left as it is.
 */
export async function readWorkJson(disk: Disk, root: string): Promise<WorkJsonFile> {
  const { raw } = await readRaw(disk, join(root, workFileName))
  return { raw, values: parseWorkJson(raw ?? {}, join(root, workFileName)) }
}

/**
 * Writes `patch` into `work.json`, on top of what stands there now, whoever wrote it; makes the file where
 * there is none.
 *
 * Errors: `work/bad-file`: a damaged file is never written over; `file/changed`, `file/disk-full` and so on.
 */
export async function patchWorkJson(
  deps: { disk: Disk; hostId: string; random: Random },
  root: string,
  patch: Partial<WorkJson>,
): Promise<WorkJson> {
  const path = await realPathOf(deps.disk, join(root, workFileName))
  const { raw, hash } = await readRaw(deps.disk, path)
  const before = parseWorkJson(raw ?? {}, path)
  const values = { ...before, ...patch }
  const text = `${JSON.stringify({ ...(raw ?? {}), ...withoutDefaults(values, raw ?? {}) }, null, 2)}\n`
  await replaceFile(deps.disk, path, Buffer.from(text), {
    tempName: tempFileName(deps.hostId, deps.random),
    beforeRename: async () => {
      if ((await readRaw(deps.disk, path)).hash !== hash) throw new AppError({ code: 'file/changed', path })
    },
  })
  return values
}

/** What says nothing is not written, unless it stands there already. */
function withoutDefaults(values: WorkJson, raw: Record<string, unknown>): Record<string, unknown> {
  const defaults: Record<string, unknown> = emptyWorkJson
  return Object.fromEntries(
    Object.entries(values).filter(
      ([key, value]) =>
        key === 'version' || key in raw || JSON.stringify(value) !== JSON.stringify(defaults[key]),
    ),
  )
}

async function realPathOf(disk: Disk, path: string): Promise<string> {
  // A link stays a link: what it points to is written.
  return (await disk.stat(path)) === undefined ? path : disk.realPath(path)
}

async function readRaw(
  disk: Disk,
  path: string,
): Promise<{ raw: Record<string, unknown> | null; hash: string | null }> {
  if ((await disk.stat(path)) === undefined) return { raw: null, hash: null }
  const bytes = await disk.read(path).catch((error: unknown) => {
    throw toFileError(error, path)
  })
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const raw = z.record(z.string(), z.unknown()).parse(JSON.parse(text))
    return { raw, hash: contentHash(bytes) }
  } catch (error) {
    throw new AppError({ code: 'work/bad-file', path, reason: 'not JSON' }, { cause: error })
  }
}

function parseWorkJson(raw: Record<string, unknown>, path: string): WorkJson {
  const parsed = WorkJson.safeParse(raw)
  if (parsed.success) return parsed.data
  const reason = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new AppError({ code: 'work/bad-file', path, reason: `${basename(path)}: ${reason}` })
}
