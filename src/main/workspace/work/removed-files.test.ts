import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { workRig } from '../../../../tests/fakes/rigs/work-rig.ts'

function folder(files: Record<string, string>): string {
  const root = tempFolder()
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
  return root
}

describe('the bin', () => {
  it('keeps a removed file that was never open, with its history, and restores it', async () => {
    const root = folder({ '1.txt': 'one\n', '2.txt': 'two\n' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    await service.removeFile(workId, '1.txt')
    const [file] = await service.removed(workId)
    expect(file).toMatchObject({ path: '1.txt' })
    const removedId = file?.removedId ?? ''
    expect(await service.readRemoved(workId, removedId, null)).toBe('one\n')
    const [entry] = await service.removedHistory(workId, removedId)
    expect(entry).toMatchObject({ reason: 'delete', path: '1.txt' })
    expect(await service.readRemoved(workId, removedId, entry?.id ?? '')).toBe('one\n')
    expect(await service.restoreRemoved(workId, removedId)).toEqual({ path: '1.txt' })
    expect(readFileSync(join(root, '1.txt'), 'utf8')).toBe('one\n')
    expect(await service.removed(workId)).toEqual([])
    await expect(service.restoreRemoved(workId, removedId)).rejects.toThrow('file/not-found')
  })

  it('gives it another name where a new file has its own, and its history goes with it', async () => {
    const root = folder({ '1.txt': 'old\n' })
    const { service, store } = workRig()
    const { workId } = await service.open(root)
    await service.removeFile(workId, '1.txt')
    await service.createFile(workId, '1.txt')
    const histories = (name: string) => store.history.list(join(root, name)).map(({ reason }) => reason)
    expect(histories('1.txt')).toEqual([])
    const [file] = await service.removed(workId)
    expect(await service.restoreRemoved(workId, file?.removedId ?? '')).toEqual({ path: '1 (2).txt' })
    expect(readFileSync(join(root, '1 (2).txt'), 'utf8')).toBe('old\n')
    expect(readFileSync(join(root, '1.txt'), 'utf8')).toBe('')
    expect(histories('1 (2).txt')).toEqual(['delete'])
    expect(await service.removed(workId)).toEqual([])
  })

  it('finds a history that an earlier version of the app left at the path', async () => {
    const root = folder({ '1.txt': 'old\n' })
    const { service, store } = workRig()
    const { workId } = await service.open(root)
    const at = join(root, '1.txt')
    store.history.add({ file: at, at: 1, reason: 'manual', text: 'older\n' })
    const { undoId } = await service.removeFile(workId, '1.txt')
    for (const name of store.history.filesUnder('removed:')) store.history.move(name, at)
    await service.createFile(workId, '1.txt')
    // The snapshot of the removal is found too where both have the same millisecond.
    const entry = (await service.removedHistory(workId, undoId)).find(({ reason }) => reason === 'manual')
    expect(await service.readRemoved(workId, undoId, entry?.id ?? '')).toBe('older\n')
    await service.restoreRemoved(workId, undoId)
    expect(store.history.list(join(root, '1 (2).txt')).at(-1)).toMatchObject({ reason: 'manual' })
  })

  it('keeps the history of a removed file apart from that of a file that takes its name', async () => {
    const root = folder({ '1.txt': 'removed\n', '2.txt': 'renamed\n' })
    const { service, store, texts } = workRig()
    const { workId } = await service.open(root)
    await texts.edit({ root, path: '2.txt' }, { from: 0, insert: 'edited, ' }, 'agent')
    const { undoId } = await service.removeFile(workId, '1.txt')
    const reasons = (name: string) => store.history.list(join(root, name)).map(({ reason }) => reason)
    const inBin = async () => (await service.removedHistory(workId, undoId)).map(({ reason }) => reason)
    await service.renameFile(workId, '2.txt', '1.txt')
    expect([reasons('1.txt'), await inBin()]).toEqual([['open'], ['delete']])
    await service.renameFile(workId, '1.txt', '3.txt')
    expect([reasons('3.txt'), await inBin()]).toEqual([['open'], ['delete']])
    const [entry] = await service.removedHistory(workId, undoId)
    expect(await service.readRemoved(workId, undoId, entry?.id ?? '')).toBe('removed\n')
    await service.restoreFile(workId, undoId)
    expect([reasons('1.txt'), reasons('3.txt')]).toEqual([['delete'], ['open']])
  })

  it('gives the history of a file that it forgets back to the path', async () => {
    const root = folder({ '1.txt': 'one\n', '2.txt': 'two\n' })
    const { service, store, changeSets, removed } = workRig()
    const { workId } = await service.open(root)
    await service.removeFile(workId, '1.txt')
    const reasons = () => store.history.list(join(root, '1.txt')).map(({ reason }) => reason)
    removed.releaseHistories()
    expect(reasons()).toEqual([])
    await changeSets.prune(Date.now() + 1_000)
    removed.releaseHistories()
    expect(reasons()).toEqual(['delete'])
  })

  it('forgets what was taken back by its notice, and knows nothing of another work', async () => {
    const root = folder({ '1.txt': 'one\n' })
    const { service } = workRig()
    const { workId } = await service.open(root)
    const { undoId } = await service.removeFile(workId, '1.txt')
    const other = await service.open(folder({ 'x.txt': '' }))
    expect(await service.removed(other.workId)).toEqual([])
    await expect(service.restoreRemoved(other.workId, undoId)).rejects.toThrow('file/not-found')
    await service.restoreFile(workId, undoId)
    expect(await service.removed(workId)).toEqual([])
  })
})
