import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock, Log } from '../deps.ts'
import { type Disk, errorCode } from './disk.ts'

export type StopWatching = () => void

/**
 * Tells when watched files or folders may have changed; what changed is the listener's to look at.
 *
 * Shape: `watchFile` also tells of a file that is replaced, removed or made again; `watchFolder` of names that
 * come and go directly in a folder.
 */
export type FileWatcher = {
  watchFile(path: string, onChange: () => void): StopWatching
  watchFolder(path: string, onChange: () => void): StopWatching
  close(): void
}

type Watched = { files: Map<string, Set<() => void>>; folder: Set<() => void>; stop: StopWatching }
type WatchFolder = (
  path: string,
  onName: (name: string | null) => void,
  onError: (error: unknown) => void,
) => FSWatcher

const settleMs = 50
const pollMs = 2_000

/**
 * Watches with one system watch for each folder, however many of its files are open: a watch on the folder
 * also sees files that are replaced by renaming, which a watch on the file itself loses.
 *
 * Where the system's limit is reached, or the folder cannot be watched, it is looked at every two seconds.
 */
export function createFileWatcher(options: {
  clock: Clock
  disk: Disk
  log: Log
  watchFolder?: WatchFolder
}): FileWatcher {
  const { clock, disk, log } = options
  const startWatch = options.watchFolder ?? nodeWatch
  const folders = new Map<string, Watched>()

  const open = (path: string): Watched => {
    const files = new Map<string, Set<() => void>>()
    const folder = new Set<() => void>()
    const tell = settle(clock, (names) => {
      for (const [name, listeners] of files) {
        if (names === null || names.has(name)) for (const listener of [...listeners]) listener()
      }
      for (const listener of [...folder]) listener()
    })
    let stopSystem: StopWatching = () => undefined
    const fallBack = (error: unknown): void => {
      stopSystem()
      log.write('warn', 'watch.polling', { reason: errorCode(error) ?? 'unknown' })
      const names = (): string[] => [...files.keys()]
      stopSystem = poll(clock, disk, path, names, () => tell.say(null))
    }
    try {
      const system = startWatch(path, tell.say, fallBack)
      stopSystem = () => system.close()
    } catch (error) {
      fallBack(error)
    }
    return {
      files,
      folder,
      stop: () => {
        tell.cancel()
        stopSystem()
      },
    }
  }

  const add = (path: string, listenersOf: (watched: Watched) => Set<() => void>, onChange: () => void) => {
    const watched = folders.get(path) ?? open(path)
    folders.set(path, watched)
    const listeners = listenersOf(watched)
    listeners.add(onChange)
    return () => {
      listeners.delete(onChange)
      for (const [name, left] of watched.files) if (left.size === 0) watched.files.delete(name)
      if (watched.files.size > 0 || watched.folder.size > 0 || folders.get(path) !== watched) return
      watched.stop()
      folders.delete(path)
    }
  }

  return {
    watchFile: (path, onChange) =>
      add(
        dirname(path),
        (watched) => {
          const listeners = watched.files.get(basename(path)) ?? new Set()
          watched.files.set(basename(path), listeners)
          return listeners
        },
        onChange,
      ),
    watchFolder: (path, onChange) => add(path, (watched) => watched.folder, onChange),
    close() {
      for (const watched of folders.values()) watched.stop()
      folders.clear()
    },
  }
}

const nodeWatch: WatchFolder = (path, onName, onError) => {
  const watcher = watch(path, { persistent: false }, (_event, name) => onName(name))
  watcher.on('error', onError)
  return watcher
}

/** Gathers what comes in a burst into one telling; null among the names means all. */
function settle(clock: Clock, tell: (names: Set<string> | null) => void) {
  let names: Set<string> | null = new Set()
  let timer: { cancel(): void } | undefined
  return {
    say(name: string | null) {
      if (name === null) names = null
      else names?.add(name)
      timer ??= clock.setTimeout(() => {
        const told = names
        timer = undefined
        names = new Set()
        tell(told)
      }, settleMs)
    },
    cancel() {
      timer?.cancel()
      timer = undefined
    },
  }
}

function poll(
  clock: Clock,
  disk: Disk,
  path: string,
  names: () => string[],
  onChange: () => void,
): StopWatching {
  let isStopped = false
  let last: string | undefined
  const look = async (): Promise<void> => {
    const seen = await fingerprint(disk, path, names())
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

async function fingerprint(disk: Disk, folder: string, names: readonly string[]): Promise<string> {
  const paths = [folder, ...names.map((name) => join(folder, name))]
  const stats = await Promise.allSettled(paths.map((path) => disk.stat(path)))
  return stats
    .map((result) => {
      const stat = result.status === 'fulfilled' ? result.value : undefined
      return stat === undefined ? '-' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`
    })
    .join(' ')
}
