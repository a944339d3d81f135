import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandRig, isAlive, printedIds } from '../../../../tests/fakes/rigs/command-rig.ts'

const stubborn = "trap '' TERM; echo $$; while :; do sleep 0.05; done"

describe.skipIf(process.platform === 'win32')('a command that does not end by itself', () => {
  it('is ended when its time is over', async () => {
    const result = await commandRig().run('exec sleep 60', { timeoutMs: 50 })
    expect(result).toMatchObject({ end: 'timeout', exitCode: null, signal: 'SIGTERM' })
    expect(result.durationMs).toBeLessThan(30_000)
  })

  it('is ended by force where it ignores the request', async () => {
    const stop = new AbortController()
    const { run } = commandRig({ graceMs: 100 })
    const result = await run(stubborn, {}, { signal: stop.signal, onOutput: () => stop.abort() })
    expect(result).toMatchObject({ end: 'stopped', exitCode: null, signal: 'SIGKILL' })
    expect(printedIds(result.output).map(isAlive)).toEqual([false])
  })

  it('has the time to say its last words, and its own exit code', async () => {
    const stop = new AbortController()
    const line = "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.02; done"
    const result = await commandRig({ graceMs: 5000 }).run(
      line,
      {},
      { signal: stop.signal, onOutput: () => stop.abort() },
    )
    expect(result).toMatchObject({ end: 'stopped', exitCode: 7, signal: null })
    expect(result.output).toMatch(/^up\n(?:Terminated\n)?bye\n$/)
  })

  it('takes its children with it', async () => {
    const stop = new AbortController()
    const line = `(${stubborn}) & sleep 60 & echo $!; cat /dev/zero | sleep 60 & wait`
    const { output, end } = await commandRig({ graceMs: 100 }).run(
      line,
      {},
      { signal: stop.signal, onOutput: () => stop.abort() },
    )
    expect(end).toBe('stopped')
    expect(printedIds(output).length).toBeGreaterThan(0)
    expect(printedIds(output).filter(isAlive)).toEqual([])
  })

  it.each([
    ['holds the output', 'sleep 60 & echo $!'],
    ['holds nothing', 'sleep 60 >/dev/null 2>&1 & echo $!'],
    ['ignores the request to end', "(trap '' TERM HUP; sleep 60) & echo $!"],
  ])('does not wait for a child that %s, and says that it ended it', async (_name, line) => {
    const result = await commandRig({ graceMs: 100 }).run(line)
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, hasLeftProcesses: true })
    expect(result.durationMs).toBeLessThan(30_000)
    expect(printedIds(result.output).map(isAlive)).toEqual([false])
  })

  it.skipIf(!existsSync('/usr/bin/setsid'))('does not wait for one that left the group', async () => {
    const { run, cwd } = commandRig({ graceMs: 100 })
    const result = await run("setsid sh -c 'echo $$ > id; exec sleep 60' & sleep 0.1; echo done")
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, output: 'done\n' })
    // A process in another session cannot be ended by the runner, as documented; it is ended here by its id.
    process.kill(Number(readFileSync(join(cwd, 'id'), 'utf8')))
  })

  it('may talk without end: what is kept has a bound, the host stays responsive', async () => {
    const { run } = commandRig({ graceMs: 100 })
    let ticks = 0
    let heard = 0
    const ticking = setInterval(() => ticks++, 10)
    const result = await run(
      'yes 行',
      { timeoutMs: 1000, limitBytes: 10_000 },
      {
        onOutput: (text) => {
          heard += text.length
        },
      },
    )
    clearInterval(ticking)
    expect(result).toMatchObject({ end: 'timeout', isCut: true })
    expect(result.totalBytes).toBeGreaterThan(100_000)
    expect(Buffer.byteLength(result.output)).toBeLessThan(10_100)
    expect(result.output).toMatch(/^行\n.*\n\[… \d+ bytes …\]\n.*行/s)
    expect(heard).toBeLessThan(200_000)
    expect(ticks).toBeGreaterThan(3)
  })

  it('is not cut short by its end: all of a burst arrives', async () => {
    const { totalBytes, isCut } = await commandRig().run('head -c 12000000 /dev/zero | tr "\\0" x')
    expect({ totalBytes, isCut }).toEqual({ totalBytes: 12_000_000, isCut: true })
  })

  it('is stopped while it is being started', async () => {
    const stop = new AbortController()
    const { run, cwd } = commandRig()
    const result = run('sleep 0.3; touch x', {}, { signal: stop.signal })
    stop.abort()
    expect(await result).toMatchObject({ end: 'stopped' })
    expect(existsSync(join(cwd, 'x'))).toBe(false)
  })
})

describe.skipIf(process.platform === 'win32')('the end of a runner', () => {
  it('ends what runs, in front and behind, and what comes after does not start', async () => {
    const { run, runner } = commandRig({ graceMs: 100 })
    const behind = await run('echo $$; exec sleep 60', { isBackground: true })
    const front = run('sleep 60')
    const started = run(stubborn)
    await runner.dispose()
    expect(await front).toMatchObject({ end: 'stopped' })
    expect(await started).toMatchObject({ end: 'stopped' })
    expect(printedIds(behind.output).map(isAlive)).toEqual([false])
    expect(await run('true')).toMatchObject({ end: 'stopped', output: '' })
  })
})
