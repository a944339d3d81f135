import { basename, dirname, join } from 'node:path'
import { createSerialQueue } from '../../../shared/serial-queue.ts'
import type { Log, Random } from '../../deps.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { failWith } from '../../platform/files/file-error.ts'
import { sortedByPath } from '../../platform/files/natural-order.ts'
import type { ToolOperations } from '../../tools/tool-operations.ts'
import type { FileChange } from '../../workspace/change-plan.ts'
import { mapTogether } from '../../workspace/map-together.ts'
import { createCommandReads } from './command-reads.ts'
import { Layer, type LayerChange } from './layer.ts'
import type { Overlay, OverlayFile, OverlayFolder, Overlays } from './overlay.ts'
import { applyToLayer } from './overlay-change.ts'
import { executeInCopy, Uptake } from './overlay-commands.ts'
import { createOverlayOperations } from './overlay-operations.ts'
import { createOverlayPaths } from './overlay-paths.ts'
import { createOverlaySearch, type SearchIn } from './overlay-search.ts'
import { createOverlayView } from './overlay-view.ts'
import { openPrivateFiles, type PrivateFiles, removeTree } from './private-files.ts'

const folderName = 'overlays'
const hostName = /^[0-9a-f]{32}$/

/** The overlays of this host, in `overlays/<host's id>/` of the data folder. */
export function createOverlays(deps: {
  disk: Disk
  random: Random
  log: Log
  hostId: string
  dataDir: string
  searchIn: SearchIn
}): Overlays {
  const { disk, random, log, hostId, dataDir } = deps
  return {
    async open(folder) {
      const isCaseInsensitive = await ignoresCase(disk, folder.root).catch(failWith(folder.root))
      const files = await openPrivateFiles(disk, dataDir, [folderName, hostId, random.id()])
      const parts = { ...deps, newId: () => random.id(), isCaseInsensitive }
      return openOverlay(parts, folder, new Layer(), files)
    },
    async sweep() {
      const folder = join(await disk.realPath(dataDir), folderName)
      const stats = await disk.lstat(folder)
      const entries = stats?.isDirectory() ? await disk.list(folder) : []
      const left = entries.filter(({ name }) => hostName.test(name) && name !== hostId)
      const paths = stats?.isSymbolicLink() ? [folder] : left.map(({ name }) => join(folder, name))
      for (const path of paths) {
        try {
          await removeTree(disk, path)
        } catch (error) {
          // The next start tries again.
          log.write('warn', 'overlays.leftover-stays', { error })
        }
      }
    },
  }
}

/** Names that are tried before the answer is no. */
const limitTried = 20

/**
 * True where a name of the folder, in other letters, is the same file. Nothing is written to find out; where no name
 * has letters, the folder's own is tried.
 */
async function ignoresCase(disk: Disk, root: string): Promise<boolean> {
  const entries = (await disk.list(root)).map(({ name }) => join(root, name))
  for (const path of [...entries.slice(0, limitTried), root]) {
    const name = basename(path)
    const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
    if (other === name) continue
    const [one, two] = await Promise.all([disk.lstat(path), disk.lstat(join(dirname(path), other))])
    if (one !== undefined) return two !== undefined && one.ino === two.ino && one.dev === two.dev
  }
  return false
}

type OverlayParts = {
  disk: Disk
  searchIn: SearchIn
  newId(): string
  isCaseInsensitive: boolean
}

/** Opens an overlay over one layer, which releases `files` itself. `below`: that of the layer that it is stacked on. */
function openOverlay(
  parts: OverlayParts,
  folder: OverlayFolder,
  layer: Layer,
  files: PrivateFiles,
  below: Uptake | null = null,
): Overlay {
  const { disk } = parts
  const { root, base } = folder
  const overlayId = parts.newId()
  const calls = new RunningCalls()
  const uptake = new Uptake()
  /** The hash of every file at its first read or change. */
  const firstHashes = new Map<string, string>()
  let isReleased = false
  let isDiscarded = false
  const inTurn = createSerialQueue()

  const paths = createOverlayPaths({ base, layer, isCaseInsensitive: parts.isCaseInsensitive })
  const noteRead = (path: string, hash: string): void => {
    if (layer.baseOf(path) === undefined && !firstHashes.has(path)) firstHashes.set(path, hash)
  }
  const search = createOverlaySearch({
    ...folder,
    disk,
    layer,
    paths,
    view: createOverlayView(disk, layer, files, overlayId),
    searchIn: parts.searchIn,
    async noteShown(shown) {
      for (const path of shown) if (!firstHashes.has(path)) noteRead(path, await hashBelow(base, path))
    },
  })
  const change = (changes: readonly FileChange[]): Promise<void> =>
    applyToLayer({ root, disk, base, layer, paths, files, noteRead }, changes)
  const commandReads = createCommandReads({
    root,
    disk,
    search: parts.searchIn({ root, showsHidden: true }),
    layer,
  })
  const own = createOverlayOperations({
    base,
    layer,
    paths,
    files,
    search,
    noteRead,
    // One after the other: what a change was computed from must hold until it is written.
    apply: (changes) => inTurn(() => change(changes)),
    executeInCopy: (command, onOutput, signal) =>
      inTurn(() =>
        executeInCopy(
          { base, disk, layer, paths, files, apply: change, reads: commandReads, below },
          command,
          onOutput,
          signal,
        ),
      ),
  })

  /** Calls the operations of the layer, which end with it; those below once the layer was released. */
  async function call<T>(
    work: (on: ToolOperations, until: (signal: AbortSignal) => AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (!isReleased) return calls.run((closing) => work(own, (signal) => AbortSignal.any([signal, closing])))
    await calls.settled()
    return work(base, (signal) => signal)
  }

  const operations: ToolOperations = {
    locate: (path) => call((on) => on.locate(path)),
    read: (path, limit) => call((on) => on.read(path, limit)),
    stamp: (path) => call((on) => on.stamp(path)),
    list: (path) => call((on) => on.list(path)),
    glob: (pattern, limit, signal) => call((on, until) => on.glob(pattern, limit, until(signal))),
    grep: (query, signal, isSearched) => call((on, until) => on.grep(query, until(signal), isSearched)),
    apply: (changes, note) => call((on) => on.apply(changes, note)),
    execute: (command, onOutput, signal) => call((on, until) => on.execute(command, onOutput, until(signal))),
    askedRun: own.askedRun,
    commandOutput: base.commandOutput,
    stopCommand: (id) => call((on) => on.stopCommand(id)),
  }

  return {
    overlayId,
    operations,
    get hasWrites() {
      return layer.size > 0
    },
    files: () => calls.run(() => netFiles(layer, files)),
    reads() {
      const changed = new Set(netChanges(layer).map(({ path }) => path))
      return new Map([...firstHashes].filter(([path]) => !changed.has(path)))
    },
    async noteAnyRead(signal) {
      if (isReleased) return calls.settled()
      await calls.run(async () => {
        await commandReads.before(signal)
        commandReads.ran(await files.nowMs())
      })
    },
    staleForCommands: () => calls.run(() => commandReads.changed()),
    stack: () =>
      calls.run(async () => {
        await inTurn(async () => undefined)
        files.hold()
        return openOverlay(parts, folder, layer.above(), files, uptake)
      }),
    takeIn: (write) => uptake.during(write),
    release() {
      isReleased = true
    },
    async discard() {
      if (isDiscarded) return
      isDiscarded = true
      await calls.close()
      await files.letGo()
    },
  }
}

/** Returns the hash of the file below; '', which is the hash of no content, for one that is gone already. */
async function hashBelow(base: ToolOperations, path: string): Promise<string> {
  try {
    return (await base.read(path, Number.POSITIVE_INFINITY)).hash
  } catch {
    return ''
  }
}

function netChanges(layer: Layer): LayerChange[] {
  return layer.changes().filter(({ node, base }) => {
    const isModeNew = node.kind === 'file' && node.isModeNew === true
    return isModeNew || (node.kind === 'file' ? node.stored.hash : null) !== (base?.hash ?? null)
  })
}

async function netFiles(layer: Layer, files: PrivateFiles): Promise<OverlayFile[]> {
  const net = sortedByPath(netChanges(layer), ({ path }) => path)
  return mapTogether(net, async ({ path, node, base }): Promise<OverlayFile> => {
    const isFile = node.kind === 'file'
    return {
      path,
      baseHash: base?.hash ?? null,
      baseBytes: base === null ? null : await files.get(base),
      newBytes: isFile ? await files.get(node.stored) : null,
      mode: isFile && (base === null || node.isModeNew) ? node.mode : null,
      ignoredTop: layer.ignoredTopOf(path),
    }
  })
}

/** The calls that are running. No call begins after `close`. */
class RunningCalls {
  readonly #running = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()

  /** Errors: the reason of `close`. */
  async run<T>(work: (closing: AbortSignal) => Promise<T>): Promise<T> {
    this.#closing.signal.throwIfAborted()
    const running = work(this.#closing.signal)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Resolves when the calls that run now have ended, one way or the other. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running])
  }

  /** Stops what can be stopped, and waits for the rest. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.settled()
  }
}
