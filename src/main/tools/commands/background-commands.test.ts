import { describe, expect, it } from 'vitest'
import { commandRig, isAlive, printedIds } from '../../../../tests/fakes/rigs/command-rig.ts'
import type { Clock } from '../../deps.ts'
import { systemClock } from '../../platform/clock.ts'

const server = 'echo $$; echo listening; while :; do sleep 0.05; echo tick; done'

/** A command of a slow machine may begin, or end, after the time for which the call waits for it. */
const slowMachine: Clock = {
  ...systemClock,
  setTimeout: (action, ms) => systemClock.setTimeout(action, 30 * ms),
}

describe.skipIf(process.platform === 'win32')('a command in the background', () => {
  it('goes on after its first words, can be read on and stopped', async () => {
    const { run, runner } = commandRig()
    const { commandId, end, output, exitCode } = await run(server, { isBackground: true })
    expect({ end, exitCode }).toEqual({ end: 'background', exitCode: null })
    expect(output).toMatch(/^\d+\nlistening\n/)

    const first = runner.outputOf(commandId)
    expect(first).toMatchObject({ isRunning: true, exitCode: null, isBackground: true, skippedBytes: 0 })
    await expect
      .poll(() => runner.outputOf(commandId, { sinceBytes: first?.nextBytes ?? 0 })?.output)
      .toMatch(/^tick\n/)
    expect(runner.outputOf(commandId, { sinceBytes: 0, limitBytes: 4 })).toMatchObject({ nextBytes: 4 })

    expect(await runner.stop(commandId)).toBe(true)
    expect(printedIds(output).map(isAlive)).toEqual([false])
    expect(runner.outputOf(commandId)).toMatchObject({ isRunning: false, end: 'stopped' })
    expect(await runner.stop(commandId)).toBe(true)
  })

  it('gives its result where it ends at once', async () => {
    const { run } = commandRig({ clock: slowMachine })
    const result = await run('echo no port; exit 1', { isBackground: true })
    expect(result).toMatchObject({ end: 'exited', exitCode: 1, output: 'no port\n' })
  })

  it('does not hear later stops of the call that began it', async () => {
    const stop = new AbortController()
    const { run, runner } = commandRig()
    const { commandId } = await run(server, { isBackground: true }, { signal: stop.signal })
    stop.abort()
    expect(runner.list()).toMatchObject([{ commandId, isRunning: true }])
  })

  it('is stopped with the call as long as that waits', async () => {
    const stop = new AbortController()
    const { run } = commandRig({ clock: slowMachine })
    const result = run(server, { isBackground: true }, { signal: stop.signal, onOutput: () => stop.abort() })
    expect(await result).toMatchObject({ end: 'stopped' })
  })

  it('has no end of time, and says nothing more to the one who began it', async () => {
    const { run, runner } = commandRig()
    const heard: string[] = []
    const { output } = await run(
      server,
      { isBackground: true, timeoutMs: 1 },
      { onOutput: (text) => heard.push(text) },
    )
    const [{ commandId = '', totalBytes = 0 } = {}] = runner.list()
    await expect.poll(() => runner.outputOf(commandId)?.totalBytes).toBeGreaterThan(totalBytes)
    expect(heard.join('')).toBe(output)
  })

  it('ends with its owner, and nobody else’s does', async () => {
    const { run, runner } = commandRig()
    const [mine, other] = await Promise.all([
      run(server, { isBackground: true, ownerId: 'a' }),
      run(server, { isBackground: true, ownerId: 'b' }),
    ])
    const waited = run('sleep 60', { ownerId: 'a' })
    await runner.stopOwned('a')
    expect(await waited).toMatchObject({ end: 'stopped' })
    expect(printedIds(mine.output).map(isAlive)).toEqual([false])
    expect(printedIds(other.output).map(isAlive)).toEqual([true])
    expect(runner.list().map(({ commandId }) => commandId)).toEqual([other.commandId])
    expect(runner.outputOf(mine.commandId)).toBeNull()
    expect(await run('echo again', { ownerId: 'a' })).toMatchObject({ output: 'again\n' })
  })

  it('is not known by another name, nor to another owner', async () => {
    const { run, runner } = commandRig()
    const { commandId } = await run('echo x', { ownerId: 'a' })
    expect(runner.outputOf(commandId, { ownerId: 'a' })?.output).toBe('x\n')
    expect(runner.outputOf(commandId, { ownerId: 'b' })).toBeNull()
    expect(await runner.stop(commandId, 'b')).toBe(false)
    expect(await runner.stop(commandId, 'a')).toBe(true)
    expect(runner.outputOf('cmd-0')).toBeNull()
    expect(await runner.stop('cmd-0')).toBe(false)
  })

  it('leaves the outputs of the last ones that have ended to be read', async () => {
    const { run, runner } = commandRig()
    const ids: string[] = []
    for (let n = 0; n < 35; n++) ids.push((await run(`echo ${n}`)).commandId)
    expect(ids.map((id) => runner.outputOf(id)?.output ?? null)).toEqual(
      ids.map((_, n) => (n < 3 ? null : `${n}\n`)),
    )
  })
})
