import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { watchSize } from './written-size.ts'

const kb = 1024
const limitBytes = 256 * kb

/** A run of a command, on a disk whose free space the test says. */
function rig() {
  const [folder, privateHome] = [tempFolder(), tempFolder()]
  for (const name of ['upper', 'tmp']) mkdirSync(join(folder, name))
  writeFileSync(join(privateHome, 'old-cache'), Buffer.alloc(512 * kb))
  const state = { freeBytes: 1024 * kb, stops: 0 }
  const beganAtNs = lstatSync(join(privateHome, 'old-cache'), { bigint: true }).ctimeNs + 1n
  const begin = () =>
    watchSize(
      { freeBytes: async () => state.freeBytes },
      { folder, privateHome, beganAtNs },
      limitBytes,
      () => {
        state.stops += 1
      },
    )
  return { folder, privateHome, state, begin }
}

/** Bytes that no file system stores in less space. */
const bytes = (size: number) => Buffer.from(Array.from({ length: size }, (_, at) => (at * 7919) % 251))

const stopped = (state: { stops: number }) => expect.poll(() => state.stops, { timeout: 60_000 }).toBe(1)

describe('the watch of what a command writes', () => {
  it('stops a command that wrote too much into its copy or its temporary folder, once', async () => {
    const { folder, state, begin } = rig()
    const watch = begin()
    mkdirSync(join(folder, 'upper/deep'))
    writeFileSync(join(folder, 'upper/deep/a'), bytes(200 * kb))
    writeFileSync(join(folder, 'tmp/b'), bytes(100 * kb))
    await stopped(state)
    expect(await watch.end()).toBe(true)
    expect(state.stops).toBe(1)
  })

  it('stops it although the disk has more room than before, since somebody else freed some', async () => {
    const { folder, state, begin } = rig()
    const watch = begin()
    state.freeBytes *= 2
    writeFileSync(join(folder, 'upper/a'), bytes(300 * kb))
    await stopped(state)
    expect(await watch.end()).toBe(true)
  })

  it('does not stop it for what somebody else writes', async () => {
    const { folder, state, begin } = rig()
    const watch = begin()
    writeFileSync(join(folder, 'upper/a'), bytes(100 * kb))
    state.freeBytes = 0
    expect(await watch.end()).toBe(false)
    expect(state.stops).toBe(0)
  })

  it('counts what it wrote into its private home, and not what lay there before', async () => {
    const { privateHome, state, begin } = rig()
    // The clock of a file system may advance in steps of several milliseconds.
    await sleep(20)
    writeFileSync(join(privateHome, 'new-cache'), bytes(300 * kb))
    const watch = begin()
    expect(await watch.end()).toBe(false)
    const other = begin()
    state.freeBytes -= 300 * kb
    expect(await other.end()).toBe(true)
  })

  it('notices at its end what a command wrote before the first look', async () => {
    const { folder, state, begin } = rig()
    const watch = begin()
    writeFileSync(join(folder, 'upper/a'), bytes(300 * kb))
    expect(await watch.end()).toBe(true)
    expect(state.stops).toBe(1)
  })
})
