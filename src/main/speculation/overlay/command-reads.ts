import { join } from 'node:path'
import { contentHash } from '../../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../../platform/files/disk.ts'
import type { ToolOperations } from '../../tools/tool-operations.ts'
import type { Layer } from './layer.ts'

/** Most files that are examined, and that are reported. */
const limits = { looked: 50_000, told: 20 } as const
/** Files that are examined at once. */
const together = 64

/** What commands of an overlay may have read: any file of the folder that no ignore file names, hidden ones included. */
export type CommandReads = {
  /** Called before a command runs; only the first call counts. */
  before(signal: AbortSignal): Promise<void>
  /** Called after a command has run. Units: nanoseconds since 1970, by the disk. */
  ran(beganAtNs: bigint): void
  /** Returns files that were changed, made or deleted since. Empty where no command has run. */
  changed(): Promise<string[]>
}

/**
 * Shape: a file that is as a layer below had it does not count as changed: that layer was accepted meanwhile.
 * Source: `docs/decisions/speculation.md`, Accepting.
 */
export function createCommandReads(deps: {
  root: string
  disk: Disk
  /** Lists the files of the folder itself. */
  search: Pick<ToolOperations, 'glob'>
  layer: Layer
}): CommandReads {
  const { root, disk, search, layer } = deps
  let paths: ReadonlySet<string> | null = null
  let beganAtMs: number | null = null

  const list = async (signal: AbortSignal): Promise<string[]> =>
    (await search.glob('**/*', limits.looked, signal)).paths

  async function isChanged(path: string, sinceMs: number): Promise<boolean> {
    const stats = await disk.lstat(join(root, path))
    if (stats === undefined || !stats.isFile() || stats.ctimeMs < sinceMs) return false
    // What this layer changed itself is compared by its content.
    if (layer.baseOf(path) !== undefined) return false
    const node = layer.at(path)
    if (node?.kind !== 'file') return true
    return contentHash(await disk.read(join(root, path), limitChangedBytes)) !== node.stored.hash
  }

  return {
    async before(signal) {
      paths ??= new Set(await list(signal))
    },
    ran(beganAtNs) {
      beganAtMs ??= Number(beganAtNs / 1_000n) / 1_000
    },
    async changed() {
      const sinceMs = beganAtMs
      if (sinceMs === null || paths === null) return []
      const now = await list(new AbortController().signal)
      const present = new Set(now)
      const found: string[] = []
      for (const path of paths) {
        if (found.length >= limits.told) break
        // A list that was cut at its limit may lack a file that is there.
        const isGone = !present.has(path) && (await disk.lstat(join(root, path))) === undefined
        if (isGone && layer.at(path)?.kind !== 'gone') found.push(path)
      }
      for (let at = 0; at < now.length && found.length < limits.told; at += together) {
        const some = now.slice(at, at + together)
        const isNew = await Promise.all(some.map((path) => isChanged(path, sinceMs)))
        found.push(...some.filter((_, index) => isNew[index]))
      }
      return found.slice(0, limits.told).sort()
    },
  }
}
