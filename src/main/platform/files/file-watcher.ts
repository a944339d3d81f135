import { basename, sep } from 'node:path'
import type { FSWatcher } from 'chokidar'
import type { Clock, Log } from '../../deps.ts'
import { type Disk, errorCode } from './disk.ts'

export type StopWatching = () => void

/**
 * Calls listeners when watched files or folders may have changed, and once when the watch has begun; the listener must
 * find out what changed.
 *
 * Shape: `watchFile` also tells of a file that is replaced, removed or made again; `watchFolder` of what lies
 * directly in a folder.
 */
export type FileWatcher = ReturnType<typeof createFileWatcher>

type WatchEvents = {
  onChange(): void
  /** Nothing is at the path, or something new. */
  onGone(): void
  onReady(): void
  onError(error: unknown): void
}

/** Watches a file, or what lies directly in a folder. */
export type WatchPath = (path: string, events: WatchEvents) => StopWatching

const settleMs = 50
const pollMs = 2_000
const gonePollMs = 500

/**
 * Watches by `chokidar`, each path once: files of one folder share the system's watch on that folder, which also
 * sees a file that is replaced by renaming.
 *
 * Where the system's limit is reached, or the path cannot be watched, the path is polled every two seconds; so are
 * paths that Electron's file system, which the package uses and `disk` does not, treats as archives. The package's own
 * polling would read every file of a folder; here one `stat` of the path is enough. A path that is gone is polled every
 * half second: the package would watch the folder above it, and examine every file there at each change.
 */
export function createFileWatcher(options: { clock: Clock; disk: Disk; log: Log; watchPath?: WatchPath }) {
  const { clock, disk, log, watchPath = watchByChokidar(disk) } = options
  const watched = new Map<string, { listeners: Set<() => void>; stop: StopWatching }>()

  const start = (path: string, tell: () => void): StopWatching => {
    let isStopped = false
    let stopSystem: StopWatching = () => undefined
    const settled = settle(clock, tell)
    const begin = (): void => {
      stopSystem = watchPath(path, {
        onChange: settled.say,
        // Changes before the watch began were not seen.
        onReady: settled.say,
        onGone: () => {
          if (isStopped) return
          stopSystem()
          settled.say()
          stopSystem = awaitReturn(clock, disk, path, () => {
            begin()
            settled.say()
          })
        },
        onError: fallBack,
      })
    }
    const fallBack = (error: unknown): void => {
      if (isStopped) return
      stopSystem()
      log.write('warn', 'watch.polling', { reason: errorCode(error) ?? 'unknown' })
      stopSystem = poll(clock, disk, path, settled.say)
    }
    // Electron's own file system treats a `.asar` as a folder that never changes.
    const isInArchive = path.split(sep).some((part) => part.endsWith('.asar'))
    if (isInArchive) stopSystem = poll(clock, disk, path, settled.say)
    else begin()
    return () => {
      isStopped = true
      settled.cancel()
      stopSystem()
    }
  }

  const add = (path: string, onChange: () => void): StopWatching => {
    let entry = watched.get(path)
    if (entry === undefined) {
      const listeners = new Set<() => void>()
      const tell = () => {
        for (const listener of [...listeners]) listener()
      }
      entry = { listeners, stop: start(path, tell) }
      watched.set(path, entry)
    }
    const { listeners, stop } = entry
    // A new function, so that a listener that is added twice is called twice.
    const listener = () => onChange()
    listeners.add(listener)
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0 || watched.get(path)?.listeners !== listeners)
        return
      stop()
      watched.delete(path)
    }
  }

  return {
    watchFile: add,
    watchFolder: add,
    close(): void {
      for (const { stop } of watched.values()) stop()
      watched.clear()
    },
  }
}

/** Returns a watcher by chokidar, which is loaded with the first path. */
function watchByChokidar(disk: Disk): WatchPath {
  return (path, { onChange, onGone, onReady, onError }) => {
    let watcher: FSWatcher | undefined
    let isStopped = false
    const begin = async (): Promise<void> => {
      const { watch } = await import('chokidar')
      const isThere = (await fingerprint(disk, path)) !== nothing
      if (isStopped) return
      if (!isThere) {
        onGone()
        return
      }
      // The backend is set here so that no environment variable chooses it.
      watcher = watch(path, {
        backend: 'native',
        depth: 0,
        ignoreInitial: true,
        persistent: false,
        atomic: false,
      })
      watcher.on('all', (event, at) => {
        const isGone = at === path && (event === 'unlink' || event === 'unlinkDir')
        if (isGone) onGone()
        else onChange()
      })
      // The package does not report new permissions, which leave the modification time as it was.
      watcher.on('raw', (_event, at) => {
        if (typeof at === 'string' && basename(at) === basename(path)) onChange()
      })
      watcher.on('ready', onReady)
      watcher.on('error', onError)
    }
    begin().catch(onError)
    return () => {
      isStopped = true
      watcher?.close().catch(() => undefined)
    }
  }
}

/** Combines a burst of changes into one call of `tell`. */
function settle(clock: Clock, tell: () => void) {
  let timer: { cancel(): void } | undefined
  return {
    say() {
      timer ??= clock.setTimeout(() => {
        timer = undefined
        tell()
      }, settleMs)
    },
    cancel() {
      timer?.cancel()
      timer = undefined
    },
  }
}

function poll(clock: Clock, disk: Disk, path: string, onChange: () => void): StopWatching {
  let isStopped = false
  let last: string | undefined
  const look = async (): Promise<void> => {
    const seen = await fingerprint(disk, path)
    if (last !== undefined && seen !== last && !isStopped) onChange()
    last = seen
    if (!isStopped) timer = clock.setTimeout(() => void look(), pollMs)
  }
  let timer: { cancel(): void } = clock.setTimeout(() => void look(), 0)
  return () => {
    isStopped = true
    timer.cancel()
  }
}

/** Calls `onReturn` once, as soon as something is at the path. */
function awaitReturn(clock: Clock, disk: Disk, path: string, onReturn: () => void): StopWatching {
  let isStopped = false
  let timer: { cancel(): void } | undefined
  const look = async (): Promise<void> => {
    const isThere = (await fingerprint(disk, path)) !== nothing
    if (isStopped) return
    if (isThere) onReturn()
    else timer = clock.setTimeout(() => void look(), gonePollMs)
  }
  void look()
  return () => {
    isStopped = true
    timer?.cancel()
  }
}

const nothing = '-'

async function fingerprint(disk: Disk, path: string): Promise<string> {
  const stat = await disk.stat(path).catch(() => undefined)
  return stat === undefined ? nothing : `${stat.ino}:${stat.size}:${stat.mtimeMs}`
}
