/** The host is killed (`kill -9`) while it accepts what was done ahead, and started again on the same data. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { after, before, filesNow, folderBefore, recovered, sessionNow } from '../fakes/acceptance-turn.ts'
import { seededRandom } from '../fakes/seeded-random.ts'
import { tempFolder } from '../fakes/temp-folder.ts'

const isSoak = process.env.TSUGI_SOAK === '1'
const kills = isSoak ? 300 : 6
const victim = resolve(import.meta.dirname, '../fakes/acceptance-victim.ts')

/** Hosts that are killed at the same time. */
const together = 4

type Killed = { isKilled: boolean; isCommitted: boolean; said: string }

/** What the host has said, and whether it was killed. */
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

/** Kills the host at one moment, and holds what is left against what may be left, before and after the next start. */
async function killedAt(what: 'step' | 'disk', at: number): Promise<Killed> {
  const [dataDir, root] = [tempFolder(), folderBefore()]
  const { isKilled, stdout, stderr } = await hostKilledAt(dataDir, root, what, String(at))
  const said = `${what} ${at}`
  expect(stderr, said).toBe('')
  const session = sessionNow(dataDir)
  const isCommitted = session?.turn === 2
  if (!isCommitted) expect(filesNow(root), said).toEqual(before)
  expect((await recovered(dataDir)).troubles, said).toEqual([])
  expect(filesNow(root), said).toEqual(isCommitted ? after : before)
  expect(sessionNow(dataDir), said).toEqual(session)
  expect((await recovered(dataDir)).count, said).toBe(0)
  return { isKilled, isCommitted, said: stdout }
}

describe('kill -9 while what was done ahead is accepted', () => {
  it('at each step: nothing before the commit, all of it from there on', { timeout: 300_000 }, async () => {
    const whole = await killedAt('step', 0)
    const { step, counts } = JSON.parse(whole.said) as { step: string; counts: { step: number } }
    expect([step, whole.isKilled]).toEqual(['accepted', false])
    const moments = Array.from({ length: counts.step }, (_, at) => at + 1)
    const killed = await killedAtAll('step', moments)
    expect(killed.map(({ isKilled }) => isKilled)).not.toContain(false)
    const committed = killed.map(({ isCommitted }) => isCommitted)
    // `planned` and `stored` come before the commit.
    expect(committed.slice(0, 3)).toEqual([false, false, true])
    expect(committed.slice(2)).not.toContain(false)
    expect(committed.length).toBeGreaterThan(12)
  })

  it(`at ${kills} operations on the disk: all or nothing`, {
    timeout: isSoak ? 3_600_000 : 300_000,
  }, async () => {
    const whole = await killedAt('disk', 0)
    const { counts } = JSON.parse(whole.said) as { counts: { disk: number } }
    const random = seededRandom(20_261_122)
    const moments = Array.from({ length: kills }, () => 1 + Math.floor(random() * counts.disk))
    const killed = await killedAtAll('disk', moments)
    expect(killed.map(({ isKilled }) => isKilled)).not.toContain(false)
    const outcomes = killed.map(({ isCommitted }) => isCommitted)
    expect(outcomes).toContain(true)
    expect(outcomes).toContain(false)
  })
})
