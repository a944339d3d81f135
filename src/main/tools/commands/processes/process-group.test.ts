import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { endGroup, isGoneWithin, readStat, signalGroup } from './process-group.ts'

/** Starts a group of real processes; resolves with its id when the trap is set. */
async function group(script: string): Promise<number> {
  const child = spawn('/bin/bash', ['-c', `${script}; echo up; sleep 60`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const id = child.pid ?? 0
  onTestFinished(() => {
    if (id > 1) signalGroup(id, 'SIGKILL')
  })
  await once(child.stdout, 'data')
  return id
}

describe.skipIf(process.platform === 'win32')('process groups', () => {
  it.each([0, 1, -1, Number.NaN])('never means the group %d', (id) => {
    expect(() => signalGroup(id, 0)).toThrow(RangeError)
  })

  it('ends one that obeys, long before it would be forced', async () => {
    expect(await endGroup(systemClock, await group('true'), 30_000)).toBe('gone')
  })

  it('forces one that does not', async () => {
    const id = await group("trap '' TERM")
    expect(await isGoneWithin(systemClock, id, 0)).toBe(false)
    expect(await endGroup(systemClock, id, 50)).toBe('gone')
    expect(signalGroup(id, 0)).toBe('gone')
    expect(await endGroup(systemClock, id, 30_000)).toBe('gone')
  })

  it('reads a process whose name looks like the fields behind it', () => {
    const fields = Array.from({ length: 50 }, (_, index) => String(index + 3))
    const stat = `42 (a) S 1 (b) ${['Z', ...fields.slice(1)].join(' ')}`
    expect(readStat(stat)).toEqual({ state: 'Z', group: '5', startTicks: '22' })
  })
})
