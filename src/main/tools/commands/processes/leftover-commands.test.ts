import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../../tests/fakes/disks/temp-folder.ts'
import { commandRig, isAlive, printedIds } from '../../../../../tests/fakes/rigs/command-rig.ts'

const victim = join(import.meta.dirname, '../../../../../tests/fakes/victims/command-victim.ts')

/** Starts a host that runs two commands; resolves with their process ids. */
async function host(dataDir: string, how: 'wait' | 'throw' | 'exit'): Promise<[ChildProcess, number[]]> {
  const child = spawn(process.execPath, [victim, dataDir, tempFolder(), how], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let printed = ''
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    if (printed.includes('ready')) break
  }
  const ids = printedIds(printed)
  onTestFinished(() => {
    for (const id of ids.filter(isAlive)) process.kill(-id, 'SIGKILL')
  })
  expect(ids.map(isAlive)).toEqual([true, true])
  return [child, ids]
}

const notesIn = (dataDir: string): string[] => readdirSync(join(dataDir, 'commands'))

describe.skipIf(process.platform !== 'linux')('what a killed host leaves running', () => {
  it('is ended by the next one', async () => {
    const dataDir = tempFolder()
    const [child, ids] = await host(dataDir, 'wait')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(ids.map(isAlive)).toEqual([true, true])
    expect(notesIn(dataDir)).toHaveLength(2)

    const { runner } = commandRig({ dataDir, graceMs: 100 })
    expect(await runner.endLeftovers()).toBe(2)
    expect(ids.map(isAlive)).toEqual([false, false])
    expect(notesIn(dataDir)).toEqual([])
    expect(await runner.endLeftovers()).toBe(0)
  })

  it('is left alone where it is not certainly the one that was noted', async () => {
    const dataDir = tempFolder()
    const [child, ids] = await host(dataDir, 'wait')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const [first = '', second = ''] = notesIn(dataDir)
    const change = (name: string, changes: object): void => {
      const path = join(dataDir, 'commands', name)
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }))
    }
    change(first, { startTicks: '1' })
    change(second, { bootId: 'another' })
    writeFileSync(join(dataDir, 'commands', `${'a'.repeat(32)}-2.json`), '{"hostId":')
    writeFileSync(join(dataDir, 'commands', 'notes.txt'), 'mine')

    const { runner } = commandRig({ dataDir, graceMs: 100 })
    expect(await runner.endLeftovers()).toBe(0)
    expect(ids.map(isAlive)).toEqual([true, true])
    expect(notesIn(dataDir)).toEqual(['notes.txt'])
  })

  it('is not what this host runs itself', async () => {
    const { run, runner, dataDir } = commandRig()
    const { output } = await run('echo $$; exec sleep 60', { isBackground: true })
    expect(notesIn(dataDir)).toHaveLength(1)
    expect(await runner.endLeftovers()).toBe(0)
    expect(printedIds(output).map(isAlive)).toEqual([true])
    await runner.dispose()
    expect(notesIn(dataDir)).toEqual([])
  })

  it('does not keep a command from running where no note can be written', async () => {
    const dataDir = join(tempFolder(), 'data')
    writeFileSync(dataDir, 'a file')
    expect(await commandRig({ dataDir }).run('echo x')).toMatchObject({ output: 'x\n' })
  })
})

describe.skipIf(process.platform === 'win32')('a host that ends without waiting', () => {
  it.each(['throw', 'exit'] as const)('takes its commands with it: %s', async (how) => {
    const dataDir = tempFolder()
    mkdirSync(join(dataDir, 'commands'))
    const [child, ids] = await host(dataDir, how)
    const ended = once(child, 'exit')
    child.stdin?.write('now')
    await ended
    await expect.poll(() => ids.map(isAlive)).toEqual([false, false])
    expect(existsSync(dataDir)).toBe(true)
  })
})
