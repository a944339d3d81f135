/** The host is killed (`kill -9`) while it accepts a speculation, and started again on the same data. */
import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { ApplyStep } from '../../../src/main/workspace/apply-change-set.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import {
  filesNow,
  folderBefore,
  recovered,
  sessionNow,
  speculationOfCommand,
  textsOf,
} from '../../fakes/rigs/acceptance-turn.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { childProgram } from '../../fakes/victims/child-program.ts'

const isSoak = process.env.TSUGI_SOAK === '1'
/** `TSUGI_CASES` and `TSUGI_SEED` play a long series in pieces. */
const kills = Number(process.env.TSUGI_CASES ?? (isSoak ? 1_000 : 6))
const seed = Number(process.env.TSUGI_SEED ?? 20_261_122)
const { before, after } = textsOf(speculationOfCommand)
const victim = await childProgram('acceptance-victim')

/** Hosts that are killed at the same time. */
const together = 4

type Killed = { isKilled: boolean; isCommitted: boolean; said: string }

/** Runs a host that kills itself; returns its output and whether it was killed. */
function hostKilledAt(...args: string[]): Promise<{ isKilled: boolean; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [victim, ...args], (error, stdout, stderr) =>
      done({ isKilled: error?.signal === 'SIGKILL', stdout, stderr }),
    )
  })
}

/** As `killedAt`, at several moments. */
async function killedAtAll(what: 'step' | 'disk', moments: readonly number[]): Promise<Killed[]> {
  const killed: Killed[] = []
  for (let at = 0; at < moments.length; at += together)
    killed.push(...(await Promise.all(moments.slice(at, at + together).map((one) => killedAt(what, one)))))
  return killed
}

/** Kills the host at one moment, and checks what is left, before and after the next start. */
async function killedAt(what: 'step' | 'disk', at: number): Promise<Killed> {
  const [dataDir, root] = [tempFolder(), folderBefore(speculationOfCommand)]
  const { isKilled, stdout, stderr } = await hostKilledAt(dataDir, root, what, String(at))
  const said = `${what} ${at}`
  expect(stderr, said).toBe('')
  const session = sessionNow(dataDir)
  const isCommitted = session?.turn === 2
  if (!isCommitted) expect(filesNow(root, speculationOfCommand), said).toEqual(before)
  expect((await recovered(dataDir)).troubles, said).toEqual([])
  expect(filesNow(root, speculationOfCommand), said).toEqual(isCommitted ? after : before)
  expect(sessionNow(dataDir), said).toEqual(session)
  expect((await recovered(dataDir)).count, said).toBe(0)
  return { isKilled, isCommitted, said: stdout }
}

let whole: ReturnType<typeof playedWhole> | undefined

/** An acceptance that is not killed; played once. */
function wholeAcceptance(): ReturnType<typeof playedWhole> {
  whole ??= playedWhole()
  return whole
}

async function playedWhole(): Promise<{ steps: ApplyStep[]; operations: number }> {
  const { said, isKilled } = await killedAt('step', 0)
  const { step, ...counted } = JSON.parse(said) as {
    step: string
    steps: ApplyStep[]
    operations: number
  }
  expect([step, isKilled]).toEqual(['accepted', false])
  return counted
}

/** Returns for each kind of step its first and last occurrence; in the long series every occurrence. */
function momentsOf(steps: readonly ApplyStep[]): number[] {
  if (isSoak) return steps.map((_, at) => at + 1)
  const moments = [...new Set(steps)].flatMap((name) => {
    const at = steps.flatMap((step, index) => (step === name ? index + 1 : []))
    return [at[0], at.at(-1)]
  })
  return [...new Set(moments)].flatMap((at) => at ?? []).sort((one, other) => one - other)
}

describe('kill -9 while fifty files are accepted, with the changes of a command among them', () => {
  it('at each step: nothing before the commit, all of it from there on', async () => {
    const { steps } = await wholeAcceptance()
    expect(new Set(steps).size).toBe(8)
    const moments = momentsOf(steps)
    const killed = await killedAtAll('step', moments)
    expect(killed.map(({ isKilled }) => isKilled)).not.toContain(false)
    // `planned` and `stored` come before the commit.
    expect(killed.map(({ isCommitted }) => isCommitted)).toEqual(moments.map((at) => at > 2))
  })

  it(`at ${kills} operations on the disk: all or nothing`, {
    timeout: isSoak ? 3_600_000 : 300_000,
  }, async () => {
    const { operations } = await wholeAcceptance()
    const random = seededRandom(seed)
    const moments = Array.from({ length: kills }, () => 1 + Math.floor(random() * operations))
    const killed = await killedAtAll('disk', moments)
    expect(killed.map(({ isKilled }) => isKilled)).not.toContain(false)
    const outcomes = killed.map(({ isCommitted }) => isCommitted)
    expect(outcomes).toContain(true)
    expect(outcomes).toContain(false)
  })
})
