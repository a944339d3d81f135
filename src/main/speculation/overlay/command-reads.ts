import { contentHash } from '../../platform/files/content-hash.ts'
import { type Disk, limitChangedBytes } from '../../platform/files/disk.ts'
import { firstPaths } from '../../workspace/search/glob-pattern.ts'
import type { WorkspaceSearch } from '../../workspace/search/workspace-search.ts'
import type { Layer } from './layer.ts'
import type { StaleFiles } from './overlay.ts'

const limitTold = 20
/** Files whose times, and files whose contents are examined at once. */
const together = { times: 250, contents: 64 } as const

export type CommandReads = ReturnType<typeof createCommandReads>

/**
 * Files that a command of an overlay may have read without naming them: all files of the folder that no ignore file
 * names, hidden ones included.
 *
 * Shape: a file that is as a layer below had it does not count as changed: that layer was accepted meanwhile.
 * Source: `docs/decisions/speculation.md`, Accepting.
 */
export function createCommandReads(deps: {
  root: string
  disk: Disk
  /** Lists the files of the folder itself. */
  search: Pick<WorkspaceSearch, 'files'>
  layer: Layer
}) {
  const { root, disk, search, layer } = deps
  /** Files before the first command. Shape: one text, which takes a third of the memory of a list; NUL ends a path. */
  let before: string | null = null
  let beganAtMs: number | null = null
  const placeOf = (path: string): string => `${root}/${path}`

  /** Returns those of the files that were changed or made since, by their times. */
  async function touched(present: readonly string[], sinceMs: number): Promise<string[]> {
    const found: string[] = []
    for (let at = 0; at < present.length; at += together.times) {
      const some = present.slice(at, at + together.times)
      const stats = await disk.lstatAll(some.map(placeOf))
      found.push(
        ...some.filter((_, index) => {
          const one = stats[index]
          return one?.isFile() === true && one.ctimeMs >= sinceMs
        }),
      )
    }
    return found
  }

  /** True where a file that was touched is not as a layer has it. */
  async function isChanged(path: string): Promise<boolean> {
    // What this layer changed itself is compared by its content.
    if (layer.baseOf(path) !== undefined) return false
    const node = layer.at(path)
    if (node?.kind !== 'file') return true
    return contentHash(await disk.read(placeOf(path), limitChangedBytes)) !== node.stored.hash
  }

  return {
    /** Called before a command runs; only the first call counts. */
    async before(signal: AbortSignal): Promise<void> {
      before ??= [...(await search.files(signal)), ''].join('\0')
    },
    /** Notes when a command began, once that is known. Units: ms since 1970, by the disk. */
    ran(atMs: number): void {
      beganAtMs ??= atMs
    },
    /** Returns files that were changed, made or deleted since. Empty where no command has run. */
    async changed(): Promise<StaleFiles> {
      const sinceMs = beganAtMs
      if (sinceMs === null || before === null) return { paths: [], hasMore: false }
      const present = await search.files(new AbortController().signal)
      const found: string[] = []
      for (const path of before.split('\0').slice(0, -1)) {
        if (found.length > limitTold) break
        // A list that was cut at its limit may lack a file that is there.
        const isGone = !present.has(path) && (await disk.lstat(placeOf(path))) === undefined
        if (isGone && layer.at(path)?.kind !== 'gone') found.push(path)
      }
      const unsorted = await touched([...present], sinceMs)
      const since = firstPaths(unsorted, unsorted.length)
      for (let at = 0; at < since.length && found.length <= limitTold; at += together.contents) {
        const some = since.slice(at, at + together.contents)
        const isNew = await Promise.all(some.map(isChanged))
        found.push(...some.filter((_, index) => isNew[index]))
      }
      return { paths: found.slice(0, limitTold).sort(), hasMore: found.length > limitTold }
    },
  }
}
