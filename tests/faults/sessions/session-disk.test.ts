/** Sessions on disks that are full, may not be written, or go away. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import { diskWith } from '../../fakes/disks/failing-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { approve, editCall, justAnswer, noCalls, readAndPlan } from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'
import { storedSession } from '../../fakes/sessions/stored-session.ts'
import { smallDisk, whyNoSmallDisk } from '../support/small-disk.ts'

const files = { 'a.txt': 'one\n' }
const resting = { step: 'PLANNING', status: 'SUCCESS', waiting: 'none' }

describe('a folder that cannot be written', () => {
  const broken: [name: string, disk: Partial<Disk>, words: RegExp][] = [
    ['full', { freeBytes: async () => 10 }, /disk is full/],
    ['read-only', { canWrite: async () => false }, /denies it/],
  ]
  for (const [name, fault, words] of broken) {
    it(`${name}: the model is told, the file is whole, and the same edit works later`, async () => {
      const dataDir = tempFolder()
      let isFailing = false
      const { freeBytes, canWrite } = { ...nodeDisk, ...fault }
      const disk = diskWith({
        freeBytes: (path) => (isFailing ? freeBytes(path) : nodeDisk.freeBytes(path)),
        canWrite: (path) => (isFailing ? canWrite(path) : nodeDisk.canWrite(path)),
      })
      const edit = editCall('a.txt', 'one', 'two')
      const host = await scriptedHost([...readAndPlan('a.txt'), edit, edit, noCalls, approve], {
        files,
        disk,
        dataDir,
      })
      await host.say('Change it.')
      await host.rest()
      isFailing = true
      await host.answer('approve')
      await host.rest()
      const [failed] = callsOf(await host.items(), 'edit')
      expect(failed).toMatchObject({ state: 'failed', text: expect.stringMatching(words) })
      expect(host.read('a.txt')).toBe('one\n')
      expect(readdirSync(host.root)).toEqual(['a.txt'])

      isFailing = false
      expect((await host.approveAll()).position).toEqual(resting)
      expect(host.read('a.txt')).toBe('two\n')
      expect(host.bugs).toEqual([])
      storedSession(dataDir, host.sessionId)
    })
  }
})

describe('a folder that goes away', () => {
  it('under an open gate: the gate is void, the turn ends with why, and all is well when it is back', async () => {
    const host = await scriptedHost(
      [...readAndPlan('a.txt'), editCall('a.txt', 'one', 'two'), ...justAnswer('It is back.')],
      { files },
    )
    await host.say('Change it.')
    await host.rest()
    rmSync(host.root, { recursive: true })
    await eventually(async () => expect((await host.state()).position.status).toBe('ERROR'))
    const items = await host.items()
    expect(items.find(({ kind }) => kind === 'gate')).toMatchObject({ state: 'void' })
    expect(items.at(-1)).toMatchObject({ failure: 'workspace-gone', error: { path: host.root } })

    mkdirSync(host.root)
    writeFileSync(join(host.root, 'a.txt'), 'one\n')
    await host.say('Where are we?')
    const state = await host.rest()
    expect(state.position.status).not.toBe('ERROR')
    expect((await host.items()).at(-1)).toMatchObject({ kind: 'answer', text: 'It is back.' })
    expect(host.read('a.txt')).toBe('one\n')
    expect(host.bugs).toEqual([])
  })

  it('while the model works: nothing is made anew in its place', async () => {
    const host = await scriptedHost([...readAndPlan('a.txt'), editCall('a.txt', 'one', 'two')], { files })
    const { answer } = host.mind
    host.llama.options.answer = (request) => {
      if (host.mind.left.length === 1) rmSync(host.root, { recursive: true, force: true })
      return answer(request)
    }
    await host.say('Change it.')
    const state = await host.rest()
    expect(state.openGates).toEqual([])
    const items = await host.items()
    expect(items.at(-1)).toMatchObject({ kind: 'error', failure: 'workspace-gone' })
    expect(callsOf(items, 'edit')).toMatchObject([{ state: 'refused' }])
    expect(() => readdirSync(host.root)).toThrow('ENOENT')
    expect(host.bugs).toEqual([])
  })
})

describe('a data folder on a full disk', () => {
  it('before a message: it is refused with why, and taken when there is room', async ({ skip }) => {
    const { host, disk } = await onSmallDisk(skip)
    disk.fill()
    await expect(host.say('Hello again.')).rejects.toMatchObject({ info: { code: 'file/disk-full' } })
    expect(texts(await host.items())).toEqual(['Hello.', 'First.'])
    disk.free()
    await host.say('Hello again.')
    await host.rest()
    expect(texts(await host.items())).toEqual(['Hello.', 'First.', 'Hello again.', 'Second.'])
    expect(storedSession(disk.folder, host.sessionId).items.map(({ kind }) => kind)).toEqual(twoTurns)
  })

  it('in mid-turn: what was said stays, the turn ends with why, and all is stored when there is room', async ({
    skip,
  }) => {
    const { host, disk } = await onSmallDisk(skip)
    const { answer } = host.mind
    let isFull = false
    host.llama.options.answer = (request) => {
      if (!isFull) disk.fill()
      isFull = true
      return answer(request)
    }
    await host.say('Hello again.')
    const state = await host.rest()
    expect(state.position.status).toBe('ERROR')
    const items = await host.items()
    expect(items.filter(({ kind }) => kind === 'error')).toMatchObject([{ failure: 'disk-full' }])
    expect(texts(items)).toContain('Hello again.')

    disk.free()
    host.llama.options.answer = answer
    host.mind.left.splice(0, host.mind.left.length, ...justAnswer('Third.'))
    await host.say('And now?')
    expect((await host.rest()).position).toEqual(resting)
    expect(texts(await host.items()).slice(-2)).toEqual(['And now?', 'Third.'])
    const before = texts(await host.items())
    const again = await host.restart()
    onTestFinished(() => again.close())
    expect(texts(await again.items())).toEqual(before)
  })
})

const twoTurns = ['user', 'decision', 'answer', 'user', 'decision', 'answer']

/** Creates a host with its data on a separate disk, after one exchange. */
async function onSmallDisk(skip: (note: string) => void) {
  const reason = whyNoSmallDisk()
  if (reason !== undefined) skip(reason)
  const disk = smallDisk(8 * 1024 * 1024)
  const host = await scriptedHost([...justAnswer('First.'), ...justAnswer('Second.')], {
    files,
    dataDir: disk.folder,
  })
  await host.say('Hello.')
  await host.rest()
  return { host, disk }
}

function callsOf(items: readonly SessionItem[], name: string) {
  return items.filter((item) => item.kind === 'call' && item.name === name)
}

function texts(items: readonly SessionItem[]): string[] {
  return items.flatMap((item) => {
    if (item.kind === 'answer') return [item.text]
    if (item.kind !== 'user') return []
    return item.segments.flatMap((segment) => (segment.kind === 'text' ? [segment.text] : []))
  })
}
