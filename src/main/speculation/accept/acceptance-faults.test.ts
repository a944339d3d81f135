import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type AcceptanceBenchOptions,
  acceptanceBench,
  sessionId,
} from '../../../../tests/fakes/acceptance-bench.ts'
import {
  after,
  aheadOfKill,
  before,
  filesNow,
  folderBefore,
  recovered,
  sessionNow,
} from '../../../../tests/fakes/acceptance-turn.ts'
import { changeSetBench } from '../../../../tests/fakes/change-set-bench.ts'
import { systemError } from '../../../../tests/fakes/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/temp-folder.ts'
import { AppError } from '../../../shared/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { type Disk, nodeDisk } from '../../platform/disk.ts'
import { systemRandom } from '../../platform/random.ts'
import { noteLeftFiles } from '../../sessions/left-files.ts'
import type { ApplyStep } from '../../workspace/apply-change-set.ts'
import { type AcceptOutcome, noAnswers } from './acceptable-link.ts'

/** Every operation in the long series; here one in so many. */
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

function stage(options: Partial<AcceptanceBenchOptions> = {}) {
  const [dataDir, root] = [tempFolder(), folderBefore()]
  const bench = acceptanceBench({ dataDir, root, ...options })
  onTestFinished(() => bench.store.close())
  const accept = (): Promise<AcceptOutcome | { step: 'failed'; code: string }> =>
    bench.acceptance
      .accept(bench.ahead(aheadOfKill), bench.into, noAnswers)
      .catch((error: AppError) => ({ step: 'failed' as const, code: error.info.code }))
  return { ...bench, dataDir, root, accept }
}

/** All of it or nothing, in the folder, the memory and the store, now and after the next start. */
async function expectWhole(bench: ReturnType<typeof stage>, said: string): Promise<boolean> {
  const { session, dataDir, root } = bench
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
        const bench = stage({ disk: failingDisk(names, code, from, count).disk })
        const outcome = await bench.accept()
        const isIn = await expectWhole(bench, `${code} at ${from}`)
        // Who is told that it failed finds nothing of it; who is told that it is in finds it there.
        expect(outcome.step === 'accepted', `${code} at ${from}`).toBe(isIn)
        if (outcome.step === 'failed') failures.push(outcome.code)
      }
      expect(new Set(failures).size).toBe(1)
    },
  )

  it('has no room for the conversation: nothing is in the folder either', { timeout }, async () => {
    for (const name of ['saveItem', 'appendEntries', 'startTurn', 'addChange', 'save'] as const) {
      const bench = stage()
      const full = (): never => {
        throw new AppError({ code: 'file/disk-full', path: 'tsugi.db' })
      }
      const link = bench.ahead(aheadOfKill)
      Object.assign(bench.store.sessions, { [name]: full })
      await expect(bench.acceptance.accept(link, bench.into, noAnswers)).rejects.toThrow('file/disk-full')
      expect(await expectWhole(bench, name)).toBe(false)
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
    const bench = stage({
      onStep: (step, path) => {
        if (step !== at || isDone || (path !== undefined && path !== 'a.txt')) return
        isDone = true
        change(bench.root)
      },
    })
    const outcome = await bench.accept()
    expect(outcome).toMatchObject({ step: 'accepted', left: ['a.txt'], isAltered: true })
    expect(filesNow(bench.root).slice(1)).toEqual(after.slice(1))
    expect(filesNow(bench.root)[0]).not.toBe(after[0])
    expect((await recovered(bench.dataDir)).count).toBe(0)
  })

  it('between the end of a host and the next start is left alone, and told in the session', async () => {
    const bench = stage({
      onStep: (step) => {
        if (step === 'committed') throw new Error('the host ends here')
      },
    })
    const link = bench.ahead(aheadOfKill)
    await expect(bench.acceptance.accept(link, bench.into, noAnswers)).rejects.toThrow('ends here')
    writeFileSync(join(bench.root, 'a.txt'), 'theirs\n')
    const next = changeSetBench(bench.dataDir)
    onTestFinished(() => next.store.close())
    const carriedOut = await next.changeSets.recover()
    const repository = next.store.sessions
    noteLeftFiles({ clock: systemClock, random: systemRandom, repository }, carriedOut)
    expect(filesNow(bench.root)).toEqual(['theirs\n', ...after.slice(1)])
    expect(repository.allItems(sessionId).at(-1)).toMatchObject({
      turn: 2,
      notice: { kind: 'left-alone', paths: ['a.txt'] },
    })
    expect(sessionNow(bench.dataDir)?.turn).toBe(2)
  })

  it('a file that may not be written any more is asked about, and nothing is done', async () => {
    const bench = stage()
    const link = bench.ahead(aheadOfKill)
    chmodSync(join(bench.root, 'a.txt'), 0o444)
    expect(await bench.acceptance.accept(link, bench.into, noAnswers)).toMatchObject({
      step: 'conflicts',
      files: [{ path: 'a.txt', why: 'closed' }],
    })
    expect(await expectWhole(bench, 'closed')).toBe(false)
  })

  it('a folder that may not be written any more is asked about file by file', async () => {
    const disk: Disk = { ...nodeDisk, canWrite: async () => false }
    const bench = stage({ disk })
    const outcome = await bench.accept()
    expect(outcome.step === 'conflicts' && outcome.files.map(({ why }) => why)).toEqual(
      Object.keys(aheadOfKill.files).map(() => 'closed'),
    )
    expect(await expectWhole(bench, 'closed folder')).toBe(false)
  })

  it('that is gone fails, and the session is as it was', async () => {
    const bench = stage()
    const link = bench.ahead({ files: { 'new.txt': [null, 'n\n'] } })
    rmSync(bench.root, { recursive: true })
    await expect(bench.acceptance.accept(link, bench.into, noAnswers)).rejects.toThrow('file/')
    expect(bench.session.turn).toBe(1)
  })
})
