import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { eventually } from '../../../../tests/fakes/eventually.ts'
import { manualClock } from '../../../../tests/fakes/manual-clock.ts'
import { silentLog } from '../../../../tests/fakes/silent-log.ts'
import { systemClock } from '../clock.ts'
import { nodeDisk } from './disk.ts'
import { createFileWatcher, type WatchPath } from './file-watcher.ts'

describe('watching files', () => {
  it('tells of writing, replacing, removing and making again, and of nothing after the stop', async () => {
    const folder = tempFolder()
    const path = join(folder, 'a.txt')
    writeFileSync(path, '1')
    const watcher = createFileWatcher({ clock: systemClock, disk: nodeDisk, log: silentLog })
    onTestFinished(() => watcher.close())
    const told = vi.fn()
    const stop = watcher.watchFile(path, told)
    const steps = [
      () => writeFileSync(path, '2'),
      () => {
        writeFileSync(join(folder, 'b.tmp'), '3')
        renameSync(join(folder, 'b.tmp'), path)
      },
      () => chmodSync(path, 0o444),
      () => rmSync(path),
      () => writeFileSync(path, '4'),
    ]
    for (const step of steps) {
      told.mockClear()
      step()
      await eventually(() => expect(told).toHaveBeenCalled())
      await new Promise((done) => setTimeout(done, 80))
    }
    told.mockClear()
    writeFileSync(join(folder, 'other.txt'), '')
    await new Promise((done) => setTimeout(done, 150))
    expect(told).not.toHaveBeenCalled()
    stop()
    writeFileSync(path, '5')
    await new Promise((done) => setTimeout(done, 150))
    expect(told).not.toHaveBeenCalled()
  })

  it('looks by itself where the system has no watch left', async () => {
    const folder = tempFolder()
    const path = join(folder, 'a.txt')
    writeFileSync(path, '1')
    const clock = manualClock()
    const watchPath: WatchPath = (_path, { onError }) => {
      queueMicrotask(() => onError(systemError('ENOSPC')))
      return () => undefined
    }
    const stat = vi.fn(nodeDisk.stat)
    const watcher = createFileWatcher({ clock, disk: diskWith({ stat }), log: silentLog, watchPath })
    const told = vi.fn()
    watcher.watchFile(path, told)
    await Promise.resolve()
    await clock.advance(0)
    await eventually(() => expect(stat).toHaveBeenCalledTimes(1))
    await stat.mock.results[0]?.value
    writeFileSync(path, 'longer')
    await clock.advance(2_000)
    await eventually(async () => {
      await clock.advance(100)
      expect(told).toHaveBeenCalledTimes(1)
    })
    watcher.close()
    expect(clock.pending).toBe(0)
  })

  it('looks itself at what Electron takes for an archive, and never has the package watch it', async () => {
    const folder = join(tempFolder(), 'fog.asar')
    mkdirSync(folder)
    const path = join(folder, 'a.txt')
    writeFileSync(path, '1')
    const clock = manualClock()
    const watchPath = vi.fn(() => () => undefined)
    const watcher = createFileWatcher({ clock, disk: nodeDisk, log: silentLog, watchPath })
    const told = vi.fn()
    watcher.watchFile(path, told)
    const settle = async (ms: number): Promise<void> => {
      await clock.advance(ms)
      await new Promise((done) => setTimeout(done, 30))
    }
    await settle(0)
    writeFileSync(path, 'longer')
    await settle(2_000)
    await settle(100)
    expect(told).toHaveBeenCalledTimes(1)
    expect(watchPath).not.toHaveBeenCalled()
    watcher.close()
    expect(clock.pending).toBe(0)
  })

  it('tells of what changes before the watch has begun, and then is silent', async () => {
    const path = join(tempFolder(), 'a.txt')
    writeFileSync(path, '1')
    const watcher = createFileWatcher({ clock: systemClock, disk: nodeDisk, log: silentLog })
    onTestFinished(() => watcher.close())
    const told = vi.fn()
    watcher.watchFile(path, told)
    writeFileSync(path, 'longer')
    await eventually(() => expect(told).toHaveBeenCalled())
    told.mockClear()
    await new Promise((done) => setTimeout(done, 200))
    expect(told).not.toHaveBeenCalled()
  })

  it('examines nothing beside a path that is gone or not yet there', async () => {
    const folder = tempFolder()
    const path = join(folder, 'a.txt')
    const told = vi.fn()
    const stat = vi.fn(nodeDisk.stat)
    const disk = { ...nodeDisk, stat }
    const watcher = createFileWatcher({ clock: systemClock, disk, log: silentLog })
    onTestFinished(() => watcher.close())
    watcher.watchFile(path, told)
    await eventually(() => expect(told).toHaveBeenCalled())
    // The package would see these in the folder that it watches in the file's place.
    told.mockClear()
    for (let index = 0; index < 20; index += 1) writeFileSync(join(folder, `${index}.txt`), '')
    await new Promise((done) => setTimeout(done, 300))
    expect(told).not.toHaveBeenCalled()
    writeFileSync(path, '1')
    await eventually(() => expect(told).toHaveBeenCalled())
    expect(new Set(stat.mock.calls.map(([at]) => at))).toEqual(new Set([path]))
  })

  it('tells of what happens in a folder that was gone and came back', async () => {
    const folder = join(tempFolder(), 'notes')
    const path = join(folder, 'a.txt')
    mkdirSync(folder)
    writeFileSync(path, '1')
    const watcher = createFileWatcher({ clock: systemClock, disk: nodeDisk, log: silentLog })
    onTestFinished(() => watcher.close())
    const [ofFile, ofFolder] = [vi.fn(), vi.fn()]
    watcher.watchFile(path, ofFile)
    watcher.watchFolder(folder, ofFolder)
    const step = async (act: () => void, told: Array<typeof ofFile>): Promise<void> => {
      await new Promise((done) => setTimeout(done, 200))
      ofFile.mockClear()
      ofFolder.mockClear()
      act()
      await eventually(() => {
        for (const one of told) expect(one).toHaveBeenCalled()
      })
    }
    await step(() => rmSync(folder, { recursive: true }), [ofFile, ofFolder])
    await step(() => mkdirSync(folder), [ofFolder])
    await step(() => writeFileSync(path, '2'), [ofFile, ofFolder])
    await step(() => writeFileSync(path, 'longer'), [ofFile])
  })
})
