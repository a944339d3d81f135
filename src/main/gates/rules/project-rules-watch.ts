import { dirname, join } from 'node:path'
import { createBroadcast } from '../../platform/broadcast.ts'
import type { Disk } from '../../platform/files/disk.ts'
import type { FileWatcher } from '../../platform/files/file-watcher.ts'
import { projectRulesPath } from './project-rules.ts'

export type RulesWatchDeps = { disk: Disk; watcher: Pick<FileWatcher, 'watchFile' | 'watchFolder'> }

/** Yields now, and whenever the file of a project's rules may have changed, until the signal. */
export async function* projectRulesChanges(
  { disk, watcher }: RulesWatchDeps,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<void, void, void> {
  const file = join(root, projectRulesPath)
  const heard = createBroadcast<void>()
  const next = heard.subscribe(signal)
  const stopFolder = watcher.watchFolder(root, () => heard.send())
  let stopFile: (() => void) | undefined
  try {
    while (!signal.aborted) {
      // Its folder may have gone and come again: a watch on the old one would hear nothing.
      stopFile?.()
      const isThere = (await disk.stat(dirname(file)))?.isDirectory() ?? false
      stopFile = isThere ? watcher.watchFile(file, () => heard.send()) : undefined
      yield
      if ((await next.next()).done === true) return
    }
  } finally {
    stopFolder()
    stopFile?.()
    await next.return()
  }
}
