import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commandRig, plainEnvironment } from '../../../../tests/fakes/rigs/command-rig.ts'
import { toolParts } from '../../../../tests/fakes/rigs/tool-rig.ts'
import type { Clock } from '../../deps.ts'
import { systemClock } from '../../platform/clock.ts'
import { hardenCommand } from './command-start.ts'
import { readOnlyLimits } from './command-types.ts'

const { shellCheck } = await toolParts()

describe.skipIf(process.platform === 'win32')('a line that only reads', () => {
  it('is stopped when it has said too much', async () => {
    const { run } = commandRig()
    const line = `awk 'BEGIN { while (1) print "${'x'.repeat(1000)}" }'`
    const { end, totalBytes } = await run(line, { isReadOnly: true, literal: line })
    expect(end).toBe('stopped')
    expect(totalBytes).toBeGreaterThan(readOnlyLimits.outputBytes)
  })

  it('is stopped after a minute, however long it may take by its call', async () => {
    const waits: number[] = []
    const clock: Clock = {
      ...systemClock,
      setTimeout(run, ms) {
        waits.push(ms)
        return systemClock.setTimeout(run, ms === readOnlyLimits.timeoutMs ? 300 : ms)
      },
    }
    const { run } = commandRig({ clock })
    const line = "awk 'BEGIN { while (1) x = 1 }'"
    const { end } = await run(line, { isReadOnly: true, literal: line, timeoutMs: 600_000 })
    expect(end).toBe('timeout')
    expect(waits).toContain(60_000)
  })

  it.skipIf(process.platform !== 'linux')('gets no more memory than its limit', async () => {
    const line = `awk 'BEGIN { x = "xxxxxxxx"; while (1) x = x x }'`
    const given = { line, cwd: '/', env: plainEnvironment, isLiteral: true }
    const { line: hardened, env } = await hardenCommand(shellCheck, given)
    const limit = spawnSync('bash', ['-c', hardened.replace(line, 'ulimit -v')], { env, encoding: 'utf8' })
    expect(limit.stdout.trim()).toBe(String(8 * 1024 * 1024))
    // The same with a smaller limit: a program that needs more memory ends by itself.
    const small = hardened.replace('8388608', '200000')
    const { status, signal } = spawnSync('bash', ['-c', small], { env, timeout: 30_000 })
    expect(signal).toBeNull()
    expect(status).not.toBe(0)
  })

  it('runs as its patterns were written out, and not at all where they were not', async () => {
    const { run } = commandRig()
    const literal = `echo 'a b' "$0"`
    expect(await run('echo *', { isReadOnly: true, literal })).toMatchObject({ end: 'exited', exitCode: 0 })
    expect(await run('echo *', { isReadOnly: true, literal: 'echo *' })).toMatchObject({
      end: 'failed-to-start',
      failure: { code: 'command/not-read-only' },
    })
    const held = "true '*'; echo $_"
    expect((await run(held, { isReadOnly: true, literal: held })).output).toBe('*\n')
  })
})
