import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../../tests/fakes/disks/temp-folder.ts'
import { sandboxHere } from '../../../../../tests/fakes/rigs/real-sandbox.ts'
import { systemClock } from '../../../platform/clock.ts'
import { endGroup, isGoneWithin, readStat, signalGroup, startShell } from './process-group.ts'

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

const here = await sandboxHere()
/** A sandbox whose processes all end with its first one. */
const wall = {
  program: 'unshare',
  args: ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'],
}

/** Returns the output of a line, read through a slow joiner, as on a busy machine. */
async function said(line: string): Promise<{ text: string; code: number | null }> {
  const joiner = join(tempFolder(), 'slow-cat')
  writeFileSync(joiner, '#!/bin/sh\nsleep 0.2\nexec cat\n')
  chmodSync(joiner, 0o755)
  const env = { PATH: process.env.PATH ?? '' }
  const child = await startShell({ shell: '/bin/bash', joiner, line, cwd: '/', env, wall })
  let text = ''
  child.output.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const [{ code }] = await Promise.all([child.exited, child.closed])
  return { text, code }
}

describe.skipIf(here.kind === 'none')('a shell behind a wall', () => {
  it('is heard to its last word, in order, and ends with its own code', async () => {
    const line = 'echo one; echo two >&2; echo three > /dev/stdout; exit 3'
    expect(await said(line)).toEqual({ text: 'one\ntwo\nthree\n', code: 3 })
  })

  it('does not wait for what the line left running', async () => {
    const from = performance.now()
    expect(await said('sleep 60 & echo left')).toEqual({ text: 'left\n', code: 0 })
    expect(performance.now() - from).toBeLessThan(30_000)
  })
})
