import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { commandRig, plainEnvironment } from '../../../../tests/fakes/rigs/command-rig.ts'

describe.skipIf(process.platform === 'win32')('running a command', () => {
  it('gives what it said on both outputs in their order, and how it ended', async () => {
    const { run } = commandRig()
    const line = 'echo a; echo b >&2; echo c >/dev/stdout; cat; echo d | tee /dev/stderr; exit 3'
    expect(await run(line)).toMatchObject({
      end: 'exited',
      exitCode: 3,
      signal: null,
      output: 'a\nb\nc\nd\nd\n',
      totalBytes: 10,
      isCut: false,
      failure: null,
      hasLeftProcesses: false,
    })
  })

  it.each([
    ['a syntax error', 'echo (', 2, 'syntax error'],
    ['an unknown program', 'no-such-program', 127, 'command not found'],
    ['a file that may not be run', 'touch x; ./x', 126, 'Permission denied'],
  ])('says what bash says of %s', async (_name, line, exitCode, words) => {
    const result = await commandRig().run(line)
    expect(result).toMatchObject({ end: 'exited', exitCode })
    expect(result.output).toContain(words)
  })

  it('says which signal ended it', async () => {
    const result = await commandRig().run('echo x; kill -SEGV $$')
    expect(result).toMatchObject({ end: 'exited', exitCode: null, signal: 'SIGSEGV', output: 'x\n' })
  })

  it('runs in the folder, with the environment and nothing of ours', async () => {
    const { run, cwd } = commandRig()
    const { output } = await run('pwd; env | grep -v ^_= | sort')
    expect(output.split('\n')).toEqual([
      cwd,
      'GIT_TERMINAL_PROMPT=0',
      'HOME=/nowhere',
      'LANG=C.UTF-8',
      'PAGER=cat',
      'PATH=/usr/local/bin:/usr/bin:/bin',
      `PWD=${cwd}`,
      'SHLVL=1',
      'TERM=dumb',
      '',
    ])
    const given = await run('echo $MINE; hi', {
      environment: { ...plainEnvironment, MINE: 'x', 'BASH_FUNC_hi%%': '() { echo hello; }' },
    })
    expect(given.output).toBe('x\nhello\n')
  })

  it('hands output on while it runs, and none after the result', async () => {
    const { run } = commandRig()
    const heard: string[] = []
    const { output } = await run(
      'for i in 1 2 3; do echo $i; sleep 0.15; done',
      {},
      {
        onOutput: (text) => heard.push(text),
      },
    )
    expect(heard.length).toBeGreaterThan(1)
    expect(heard.join('')).toBe(output)
  })

  it('survives a listener that throws', async () => {
    const onOutput = (): void => {
      throw new Error('broken window')
    }
    expect(await commandRig().run('echo x', {}, { onOutput })).toMatchObject({ output: 'x\n', exitCode: 0 })
  })

  it('makes plain text of what was meant for a terminal, and of bytes that are none', async () => {
    const { run } = commandRig()
    expect((await run(String.raw`printf '\e[31mred\e[0m\r\n0%%\r50%%\r100%%\na\0b\xff\n'`)).output).toBe(
      'red\n0%\n100%\na\ufffdb\ufffd\n',
    )
    const slowly = await run(
      String.raw`printf '\xe3\x81'; sleep 0.05; printf '\x82\xf0\x9f'; sleep 0.05; printf '\x98\x80\xe3'`,
    )
    expect(slowly.output).toBe('あ😀\ufffd')
  })

  it('runs twenty at a time', async () => {
    const { run, runner } = commandRig()
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => run(`sleep 0.1; echo ${n}; exit ${n}`)),
    )
    expect(all.map(({ exitCode, output }) => [exitCode, output])).toEqual(all.map((_, n) => [n, `${n}\n`]))
    expect(new Set(all.map(({ commandId }) => commandId)).size).toBe(20)
    expect(runner.list().filter(({ isRunning }) => isRunning)).toEqual([])
  })
})

describe.skipIf(process.platform === 'win32')('a command that cannot be started', () => {
  it.each([
    ['a folder that is not there', 'gone'],
    ['a file', 'file'],
    ['a link to nothing', 'dangling'],
  ])('says that it needs a folder: %s', async (_name, name) => {
    const { run, cwd } = commandRig()
    writeFileSync(join(cwd, 'file'), '')
    symlinkSync('nowhere', join(cwd, 'dangling'))
    const path = join(cwd, name)
    expect(await run('true', { cwd: path })).toMatchObject({
      end: 'failed-to-start',
      failure: { code: 'command/no-folder', path },
    })
  })

  it('says that a folder lies outside, links followed', async () => {
    const { run, cwd } = commandRig()
    symlinkSync(tempFolder(), join(cwd, 'out'))
    mkdirSync(join(cwd, '..in'))
    const failed = await run('true', { cwd: join(cwd, 'out'), root: cwd })
    expect(failed.failure).toEqual({ code: 'file/outside', path: join(cwd, 'out') })
    expect(await run('pwd', { cwd: join(cwd, '..in'), root: cwd })).toMatchObject({ exitCode: 0 })
  })

  it('says that there is no bash', async () => {
    const { run } = commandRig()
    const folder = tempFolder()
    writeFileSync(join(folder, 'bash'), '')
    chmodSync(join(folder, 'bash'), 0o644)
    for (const environment of [{ PATH: folder }, { PATH: 'usr/bin:.:' }, {}]) {
      const { end, failure } = await run('true', { environment })
      expect({ end, failure }).toEqual({ end: 'failed-to-start', failure: { code: 'command/no-shell' } })
    }
  })

  it('says that a line is too long, or has a character that no line can have', async () => {
    const { run } = commandRig()
    const line = `: ${'x'.repeat(3_000_000)}`
    expect((await run(line)).failure).toEqual({ code: 'command/too-long', sizeBytes: 3_000_002 })
    expect((await run('echo a\0b')).failure).toMatchObject({ code: 'command/not-started' })
  })

  it.skipIf(process.getuid?.() === 0)('says that a folder may not be entered', async () => {
    const { run, cwd } = commandRig()
    const path = join(cwd, 'closed')
    mkdirSync(join(path, 'inner'), { recursive: true })
    chmodSync(path, 0o000)
    const results = [await run('true', { cwd: path }), await run('true', { cwd: join(path, 'inner') })]
    chmodSync(path, 0o700)
    expect(results).toMatchObject([
      { end: 'failed-to-start', failure: { code: 'file/denied', path } },
      { end: 'failed-to-start', failure: { code: 'file/denied' } },
    ])
  })

  it('does not even look where it is stopped before', async () => {
    const result = await commandRig().run('true', { cwd: '/nowhere' }, { signal: AbortSignal.abort() })
    expect(result).toMatchObject({ end: 'stopped', failure: null, output: '' })
  })
})

describe.skipIf(process.platform === 'win32')('a command that only reads', () => {
  it('runs hardened', async () => {
    const { run, cwd } = commandRig()
    writeFileSync(join(cwd, 'trap'), '#!/bin/sh\ncat "$1"\necho trapped\n', { mode: 0o755 })
    const make = 'git init -q . && git config diff.d.textconv ./trap && echo "*.txt diff=d" > .gitattributes'
    await run(`${make} && echo one > a.txt && git add -A && echo two > a.txt`)
    expect((await run('git diff')).output).toContain('trapped')
    const { output, exitCode } = await run('git diff; echo done', { isReadOnly: true })
    expect(exitCode).toBe(0)
    expect(output).toContain('+two')
    expect(output).not.toContain('trapped')
  })

  it('does not run where the line or the configuration says more', async () => {
    const { run } = commandRig()
    const refused = async (line: string) => (await run(line, { isReadOnly: true })).failure
    expect(await refused('touch x')).toEqual({ code: 'command/not-read-only', part: 'touch' })
    await run('git init -q . && git config diff.external ./trap && git config core.fsmonitor ./trap')
    expect(await refused('git diff')).toEqual({ code: 'command/not-read-only', part: 'git diff' })
    expect(await refused('git status')).toEqual({ code: 'command/not-read-only', part: 'git status' })
    expect((await run('ls', { isReadOnly: true })).exitCode).toBe(0)
  })
})
