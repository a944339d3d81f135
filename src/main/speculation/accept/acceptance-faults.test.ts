import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import {
  type AcceptanceRigOptions,
  acceptanceRig,
  sessionId,
} from '../../../../tests/fakes/rigs/acceptance-rig.ts'
import {
  after,
  before,
  filesNow,
  folderBefore,
  recovered,
  sessionNow,
  speculationOfKill,
} from '../../../../tests/fakes/rigs/acceptance-turn.ts'
import { changeSetRig } from '../../../../tests/fakes/rigs/change-set-rig.ts'
import { AppError } from '../../../shared/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { type Disk, nodeDisk } from '../../platform/files/disk.ts'
import { systemRandom } from '../../platform/random.ts'
import { noteLeftFiles } from '../../sessions/left-files.ts'
import type { ApplyStep } from '../../workspace/apply-change-set.ts'
import { type AcceptOutcome, noAnswers } from './acceptable-link.ts'

/** The distance between two operations that fail: every one in the long series, else every third. */
const every = process.env.TSUGI_SOAK === '1' ? 1 : 3
const timeout = 120_000
const noRoom = ['writeNew', 'makeFolder'] as const
const anyChange = ['writeNew', 'makeFolder', 'rename', 'remove'] as const

/** A disk on which the n-th of these operations fails, and as many after it. Shape: `made` counts them. */
function failingDisk(names: readonly (keyof Disk)[], code: string, from: number, count: number) {
  const made = { operations: 0 }
  const disk = new Proxy(nodeDisk, {
    get(target, name, receiver) {
      const operation: unknown = Reflect.get(target, name, receiver)
      if (typeof operation !== 'function' || !names.some((one) => one === name)) return operation
      return (...args: unknown[]): unknown => {
        made.operations += 1
        const isFailing = made.operations >= from && made.operations < from + count
        return isFailing ? Promise.reject(systemError(code)) : Reflect.apply(operation, target, args)
      }
    },
  })
  return { disk, made }
}

function stage(options: Partial<AcceptanceRigOptions> = {}) {
  const [dataDir, root] = [tempFolder(), folderBefore()]
  const rig = acceptanceRig({ dataDir, root, ...options })
  onTestFinished(() => rig.store.close())
  const accept = (): Promise<AcceptOutcome | { step: 'failed'; code: string }> =>
    rig.acceptance
      .accept(rig.play(speculationOfKill), rig.into, noAnswers)
      .catch((error: AppError) => ({ step: 'failed' as const, code: error.info.code }))
  return { ...rig, dataDir, root, accept }
}

/** All of it or nothing, in the folder, the memory and the store, now and after the next start. */
async function expectWhole(rig: ReturnType<typeof stage>, said: string): Promise<boolean> {
  const { session, dataDir, root } = rig
  const isIn = session.turn === 2
  expect(sessionNow(dataDir)?.turn, said).toBe(session.turn)
  expect(session.log.length, said).toBe(isIn ? 5 : 2)
  if (!isIn) expect(filesNow(root), said).toEqual(before)
  const { troubles } = await recovered(dataDir)
  expect(troubles, said).toEqual([])
  expect(filesNow(root), said).toEqual(isIn ? after : before)
  return isIn
}

describe('an acceptance on a disk that fails', () => {
  it.each([
    ['is full once', noRoom, 'ENOSPC', 1],
    ['stays full', noRoom, 'ENOSPC', 1_000],
    ['denies once', anyChange, 'EACCES', 1],
    ['breaks for good', anyChange, 'EIO', 1_000],
  ] as const)(
    '%s, at any of its operations: all or nothing',
    { timeout },
    async (_name, names, code, count) => {
      const whole = failingDisk(names, code, Number.MAX_SAFE_INTEGER, count)
      expect(await stage({ disk: whole.disk }).accept()).toMatchObject({ step: 'accepted' })
      const { operations } = whole.made
      expect(operations).toBeGreaterThan(5)
      const failures: string[] = []
      for (let from = 1; from <= operations; from += every) {
        const rig = stage({ disk: failingDisk(names, code, from, count).disk })
        const outcome = await rig.accept()
        const isIn = await expectWhole(rig, `${code} at ${from}`)
        // A reported failure leaves no change behind, and a reported success leaves all of them.
        expect(outcome.step === 'accepted', `${code} at ${from}`).toBe(isIn)
        if (outcome.step === 'failed') failures.push(outcome.code)
      }
      expect(new Set(failures).size).toBe(1)
    },
  )

  it('has no room for the conversation: nothing is in the folder either', { timeout }, async () => {
    for (const name of ['saveItem', 'appendEntries', 'startTurn', 'addChange', 'save'] as const) {
      const rig = stage()
      const full = (): never => {
        throw new AppError({ code: 'file/disk-full', path: 'tsugi.db' })
      }
      const link = rig.play(speculationOfKill)
      Object.assign(rig.store.sessions, { [name]: full })
      await expect(rig.acceptance.accept(link, rig.into, noAnswers)).rejects.toThrow('file/disk-full')
      expect(await expectWhole(rig, name)).toBe(false)
    }
  })
})

describe('an acceptance into a folder that changes', () => {
  const changes: Record<string, (root: string) => void> = {
    'is edited': (root) => writeFileSync(join(root, 'a.txt'), 'theirs\n'),
    'is removed': (root) => rmSync(join(root, 'a.txt')),
  }
  const steps: ApplyStep[] = ['planned', 'stored', 'committed', 'before-rename']

  it.each(
    Object.entries(changes).flatMap(([what, change]) => steps.map((at) => [what, at, change] as const)),
  )('a file that %s at the step %s stays so, all else is there', async (_what, at, change) => {
    let isDone = false
    const rig = stage({
      onStep: (step, path) => {
        if (step !== at || isDone || (path !== undefined && path !== 'a.txt')) return
        isDone = true
        change(rig.root)
      },
    })
    const outcome = await rig.accept()
    expect(outcome).toMatchObject({ step: 'accepted', left: ['a.txt'], isAltered: true })
    expect(filesNow(rig.root).slice(1)).toEqual(after.slice(1))
    expect(filesNow(rig.root)[0]).not.toBe(after[0])
    expect((await recovered(rig.dataDir)).count).toBe(0)
  })

  it('between the end of a host and the next start is left alone, and told in the session', async () => {
    const rig = stage({
      onStep: (step) => {
        if (step === 'committed') throw new Error('the host ends here')
      },
    })
    const link = rig.play(speculationOfKill)
    await expect(rig.acceptance.accept(link, rig.into, noAnswers)).rejects.toThrow('ends here')
    writeFileSync(join(rig.root, 'a.txt'), 'theirs\n')
    const next = changeSetRig(rig.dataDir)
    onTestFinished(() => next.store.close())
    const carriedOut = await next.changeSets.recover()
    const repository = next.store.sessions
    noteLeftFiles({ clock: systemClock, random: systemRandom, repository }, carriedOut)
    expect(filesNow(rig.root)).toEqual(['theirs\n', ...after.slice(1)])
    expect(repository.allItems(sessionId).at(-1)).toMatchObject({
      turn: 2,
      notice: { kind: 'left-alone', paths: ['a.txt'] },
    })
    expect(sessionNow(rig.dataDir)?.turn).toBe(2)
  })

  it('a file that may not be written any more is asked about, and nothing is done', async () => {
    const rig = stage()
    const link = rig.play(speculationOfKill)
    chmodSync(join(rig.root, 'a.txt'), 0o444)
    expect(await rig.acceptance.accept(link, rig.into, noAnswers)).toMatchObject({
      step: 'conflicts',
      files: [{ path: 'a.txt', why: 'closed' }],
    })
    expect(await expectWhole(rig, 'closed')).toBe(false)
  })

  it('a folder that may not be written any more is asked about file by file', async () => {
    const disk: Disk = { ...nodeDisk, canWrite: async () => false }
    const rig = stage({ disk })
    const outcome = await rig.accept()
    expect(outcome.step === 'conflicts' && outcome.files.map(({ why }) => why)).toEqual(
      Object.keys(speculationOfKill.files).map(() => 'closed'),
    )
    expect(await expectWhole(rig, 'closed folder')).toBe(false)
  })

  it('that is gone fails, and the session is as it was', async () => {
    const rig = stage()
    const link = rig.play({ files: { 'new.txt': [null, 'n\n'] } })
    rmSync(rig.root, { recursive: true })
    await expect(rig.acceptance.accept(link, rig.into, noAnswers)).rejects.toThrow('file/')
    expect(rig.session.turn).toBe(1)
  })
})
