import { cp, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Api } from '../../shared/contract/index.ts'
import type { workContract } from '../../shared/contract/work.ts'
import type { WorkSettingsService } from '../settings/work-settings-service.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import { done } from './done.ts'

/** Works: folders opened as such, their details and files. */
export function createWorkApi(parts: {
  works: WorkService
  workSettings: WorkSettingsService
  /** The folders of the sample works that the app brings, by language, and the folder for the user's copies. */
  sampleDir: string
  samplesDir: string
  /** Trusts a folder of the app's own files without asking the user. */
  trustFolder: (root: string) => void
  samplePage: Api['work.samplePage']
}): Pick<Api, keyof typeof workContract> {
  const { works, workSettings } = parts
  return {
    'work.recent': async () => ({ works: works.recent() }),
    'work.forget': done(({ root }) => works.forget(root)),
    'work.open': ({ path }) => works.open(path),
    'work.openSample': async ({ language }) => {
      const folder = join(parts.samplesDir, language)
      const isNew = await copyOnce(join(parts.sampleDir, language), folder)
      const work = await works.open(folder)
      if (isNew) parts.trustFolder(work.root)
      return work
    },
    'work.samplePage': parts.samplePage,
    'work.create': ({ parent, name }) => works.create(parent, name),
    'work.watch': ({ workId }, { signal }) => works.watch(workId, signal),
    'work.updateDetails': async ({ workId, patch }) => ({
      details: await works.updateDetails(workId, patch),
    }),
    'work.addWritten': done(({ workId, written }) => works.addWritten(workId, written)),
    'work.setGoal': done(({ workId, goal }) => works.setGoal(workId, goal)),
    'work.repairFile': async ({ workId }) => ({ movedTo: await works.repairFile(workId) }),
    'work.watchSettings': ({ workId }, { signal }) => workSettings.watch(works.get(workId).workId, signal),
    'work.updateSettings': async ({ workId, patch }) => workSettings.update(works.get(workId).workId, patch),
    'work.setLastPath': done(({ workId, path }) => works.setLastPath(workId, path)),
    'work.keepPlace': done(({ workId, path, place }) => works.keepPlace(workId, path, place)),
    'work.createFile': ({ workId, path, kind }) => works.createFile(workId, path, '', kind),
    'work.renameFile': ({ workId, path, newPath }) => works.renameFile(workId, path, newPath),
    'work.removeFile': ({ workId, path }) => works.removeFile(workId, path),
    'work.restoreFile': ({ workId, undoId }) => works.restoreFile(workId, undoId),
    'work.removed': async ({ workId }) => ({ files: await works.removed(workId) }),
    'work.removedHistory': async ({ workId, removedId }) => ({
      entries: await works.removedHistory(workId, removedId),
    }),
    'work.readRemoved': async ({ workId, removedId, entryId }) => ({
      text: await works.readRemoved(workId, removedId, entryId),
    }),
    'work.restoreRemoved': ({ workId, removedId }) => works.restoreRemoved(workId, removedId),
    'work.setKind': done(({ workId, path, kind }) => works.setKind(workId, path, kind)),
    'work.setPage': done(({ workId, path, page }) => works.setPage(workId, path, page)),
    'work.reorder': done(({ workId, paths }) => works.reorder(workId, paths)),
    'work.exportProject': ({ workId, target, mayReplace }) => works.exportProject(workId, target, mayReplace),
  }
}

/** Copies a sample for the user, unless a copy exists; returns whether it was copied now. */
async function copyOnce(source: string, target: string): Promise<boolean> {
  if (await stat(target).catch(() => null)) return false
  await mkdir(dirname(target), { recursive: true })
  await cp(source, target, { recursive: true })
  return true
}
