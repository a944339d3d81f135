import { execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sandboxedProject, sandboxHere, type WalledRun } from '../../../../tests/fakes/rigs/real-sandbox.ts'
import { readEffects } from './read-effects.ts'

const here = await sandboxHere()
const environment = { PATH: process.env.PATH ?? '' }

async function effectsOf({ run }: WalledRun, dataDir: string) {
  return readEffects(run, { dataDir, environment, isAsked: (path) => /AGENTS|\.env/.test(path) })
}

describe.skipIf(here.kind === 'none')('what a command changed', () => {
  it('is read file by file, with modes and deletions', async () => {
    const files = { 'a.txt': 'a', 'b.txt': 'b', 'd/1': '1', 'd/2/3': '3', 'same.txt': 's', 'run.sh': 'x' }
    const { run, dataDir } = await sandboxedProject(files)
    const line =
      'echo n > new; echo m >> a.txt; rm b.txt; rm -r d; chmod 4755 run.sh; mkfifo pipe; mkdir empty'
    const { changes, left, conflicts, ignored } = await effectsOf(await run(line), dataDir)
    expect(new Map(changes.map((change) => [change.path, change.kind]))).toEqual(
      new Map([
        ['new', 'file'],
        ['a.txt', 'file'],
        ['b.txt', 'gone'],
        ['d/1', 'gone'],
        ['d/2/3', 'gone'],
        ['run.sh', 'file'],
      ]),
    )
    expect(changes.find(({ path }) => path === 'run.sh')).toMatchObject({ mode: 0o755, lowerMode: 0o644 })
    expect(left).toEqual([{ path: 'pipe', kind: 'fifo' }])
    expect([conflicts, ignored]).toEqual([[], []])
  })

  it('finds what a folder lost that was made anew', async () => {
    const { run, dataDir } = await sandboxedProject({ 'd/old': '1', 'd/kept': '2', 'e/f': '3' })
    const { changes } = await effectsOf(
      await run('rm -r d; mkdir d; echo 2 > d/kept; rm e/f; rmdir e; echo file > e'),
      dataDir,
    )
    expect(changes.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
      'file d/kept',
      'file e',
      'gone d/old',
      'gone e/f',
    ])
  })

  it('takes a file by its mode alone, also one without rights', async () => {
    const { run, dataDir } = await sandboxedProject({ a: 'a' })
    const { changes } = await effectsOf(
      await run('echo x > b; chmod 000 b; mkdir c; echo y > c/d; chmod 000 c'),
      dataDir,
    )
    expect(changes).toMatchObject([
      { path: 'b', mode: 0 },
      { path: 'c/d', mode: 0o644 },
    ])
  })

  it('names a folder whose permissions alone were changed', async () => {
    const { run, dataDir } = await sandboxedProject({ 'd/a': 'a', 'e/a': 'a' })
    const { changes, left } = await effectsOf(await run('chmod 700 d; touch e/b'), dataDir)
    expect(changes).toMatchObject([{ path: 'e/b' }])
    expect(left).toEqual([{ path: 'd', kind: 'mode' }])
  })

  it('never overwrites what somebody changed meanwhile', async () => {
    const { project, run, dataDir } = await sandboxedProject({ a: 'a', 'd/b': 'b', c: 'c', 'e/gone': 'g' })
    const ran = await run('for f in a d/b c e/gone d/new; do echo command >> $f; done', {
      meanwhile() {
        writeFileSync(join(project, 'a'), 'user')
        writeFileSync(join(project, 'd/tmp'), 'user')
        renameSync(join(project, 'd/tmp'), join(project, 'd/b'))
        rmSync(join(project, 'e/gone'))
      },
    })
    const { changes, conflicts } = await effectsOf(ran, dataDir)
    expect(conflicts.sort()).toEqual(['a', 'd/b', 'd/new', 'e/gone'])
    expect(changes.map(({ path }) => path)).toEqual(['c'])
  })

  it('keeps databases and files that somebody writes', async () => {
    const { project, run, dataDir } = await sandboxedProject({ 'x.db': 'x', 'x.db-wal': 'w', log: 'l' })
    const log = openSync(join(project, 'log'), 'a')
    const writer = spawn('sleep', ['5'], { stdio: ['ignore', log, 'ignore'] })
    closeSync(log)
    const { changes, conflicts } = await effectsOf(await run('echo y > x.db; echo y > log'), dataDir)
    writer.kill()
    expect([changes, conflicts.sort()]).toEqual([[], ['log', 'x.db']])
  })

  it('keeps ignored files that the user edits, and ignored databases in use, with their logs', async () => {
    const { project, run, dataDir } = await sandboxedProject({
      '.gitignore': 'notes.local.md\nbuild/\n*.sqlite*\n',
      'notes.local.md': 'old',
      'build/o': 'o',
      'dev.sqlite': 'x',
      'dev.sqlite-wal': 'w',
    })
    const line =
      'for f in notes.local.md build/o build/new dev.sqlite; do echo command > $f; done; rm dev.sqlite-wal'
    const ran = await run(line, {
      meanwhile() {
        writeFileSync(join(project, 'notes.local.md'), 'user')
        // A server writes beside the output of the command: nothing of it would be lost.
        writeFileSync(join(project, 'build/served'), 'server')
      },
    })
    const { ignored, conflicts } = await effectsOf(ran, dataDir)
    expect(conflicts.sort()).toEqual(['dev.sqlite', 'dev.sqlite-wal', 'notes.local.md'])
    const moved = ignored.flatMap(({ changes }) => changes.map(({ path }) => path))
    expect(moved.sort()).toEqual(['build/new', 'build/o'])
  })

  it('asks the ignore files as they were, by the topmost ignored folder', async () => {
    const { project, run, dataDir } = await sandboxedProject({
      '.gitignore': 'node_modules/\n/dist\n*.log\n',
      'dist/tracked': 't',
    })
    execFileSync('git', ['init', '-q'], { cwd: project })
    execFileSync('git', ['add', '-f', 'dist/tracked'], { cwd: project })
    const line = [
      'mkdir -p node_modules/p/dist dist/deep; echo 1 > node_modules/p/dist/i; ln -s ../p node_modules/l',
      'echo 2 > dist/deep/o; echo 3 > dist/tracked; echo 4 > x.log; echo 5 > AGENTS.md; echo 6 > dist/.env',
      'echo "src/" >> .gitignore; mkdir src; echo 7 > src/hidden',
    ].join('; ')
    const { changes, ignored } = await effectsOf(await run(line), dataDir)
    expect(changes.map(({ path }) => path).sort()).toEqual([
      '.gitignore',
      'AGENTS.md',
      'dist/.env',
      'dist/tracked',
      'src/hidden',
    ])
    expect(ignored.map(({ top, files, leadsOut }) => [top, files, leadsOut]).sort()).toEqual([
      ['dist/deep', 1, false],
      ['node_modules', 2, false],
      ['x.log', 1, false],
    ])
  })

  it('goes by ignore files without a repository, and follows no link', async () => {
    const { project, run, dataDir } = await sandboxedProject({ '.gitignore': 'build\n', 'build/o': 'o' })
    symlinkSync('/etc', join(project, 'etc'))
    const line = 'rm -r build; ln -s /etc build; ln -s .. up; echo x > etc2; rm etc'
    const { changes, ignored, left } = await effectsOf(await run(line), dataDir)
    expect(changes.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
      'file etc2',
      'gone etc',
      'link up',
    ])
    expect(left).toEqual([])
    expect(ignored.map(({ top, leadsOut }) => [top, leadsOut])).toEqual([['build', true]])
  })
})
