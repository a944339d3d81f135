/** Common programs in the sandbox of a session: one approval, and one undo of all their changes. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readUpper } from '../../../src/main/sandbox/changes/read-upper.ts'
import { placeOnDisk } from '../../fakes/disks/on-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { sandboxedProject, sandboxHere, triedDataDir } from '../../fakes/rigs/real-sandbox.ts'
import { calls, justAnswer, readAndPlan } from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, scriptedHost } from '../../fakes/sessions/session-host.ts'

placeOnDisk()

const here = await sandboxHere()
const context = { signal: new AbortController().signal }
const hasNpm = spawnSync('npm', ['--version']).status === 0
const isLong = process.env.TSUGI_SOAK !== undefined

/** A session in a folder where commands run in a copy, once the model has run `line`. */
async function afterRunning(
  line: string,
  files: Record<string, string>,
  prepare: (root: string) => void = () => undefined,
): Promise<SessionHost> {
  const run = calls(['run_command', { line, reason: 'asked for' }])
  const session = await scriptedHost([...readAndPlan('a.txt'), run, ...justAnswer('It ran.')], {
    files: { 'a.txt': 'one\n', ...files },
    dataDir: triedDataDir(),
  })
  prepare(session.root)
  await session.app.api['sandbox.get']({ workId: session.workId, isTriedAgain: false }, context)
  await session.app.api['sandbox.set']({ workId: session.workId, isOn: true }, context)
  await session.say('run it')
  await session.rest()
  return session
}

const count = isLong ? 200 : 60
const pathOf = (at: number): string => `src/${at % 10}/file-${at}.txt`
const formatter = `const { readFileSync, readdirSync, writeFileSync } = require('node:fs')
for (const name of readdirSync('src', { recursive: true })) {
  if (!name.endsWith('.txt')) continue
  const text = readFileSync('src/' + name, 'utf8')
  writeFileSync('src/' + name, text.replace(/ +$/gm, ''))
}
`

describe.skipIf(here.kind === 'none')('behind the wall', () => {
  it(`a formatter over ${count} files is one approval and one undo`, async () => {
    const paths = Array.from({ length: count }, (_, at) => pathOf(at))
    const before = (path: string): string => `${path}   \nkept\n`
    const session = await afterRunning('node format.cjs', {
      ...Object.fromEntries(paths.map((path) => [path, before(path)])),
      'format.cjs': formatter,
    })
    const gate = await session.gate()
    expect(gate?.gate.kind).toBe('effects')
    expect(gate?.gate.calls.flatMap(({ files }) => files.map(({ path }) => path)).sort()).toEqual(
      [...paths].sort(),
    )
    expect(session.read(pathOf(0))).toBe(before(pathOf(0)))
    await session.approveAll()
    for (const path of paths) expect(session.read(path)).toBe(`${path}\nkept\n`)
    const { sessionId, app } = session
    const undone = await app.api['session.undo']({ sessionId, turn: 1, what: 'files', choices: [] }, context)
    expect(undone).toEqual({ kept: [], left: [], canRedo: true })
    for (const path of paths) expect(session.read(path)).toBe(before(path))
    expect(session.bugs).toEqual([])
  })

  it.skipIf(!hasNpm)('npm test runs without a question and changes nothing', async () => {
    const session = await afterRunning('npm test', {
      'package.json': '{"name": "a", "private": true, "scripts": {"test": "node --test sum.test.mjs"}}\n',
      'sum.test.mjs':
        "import assert from 'node:assert'\nimport { test } from 'node:test'\ntest('adds', () => assert.equal(1 + 1, 2))\n",
    })
    expect(await session.gate()).toBeUndefined()
    const call = (await session.items()).find((item) => item.kind === 'call' && item.tool === 'run_command')
    expect(call).toMatchObject({ state: 'done', text: expect.stringMatching(/pass 1[\s\S]*fail 0/) })
    expect(readdirSync(session.root).sort()).toEqual(['a.txt', 'package.json', 'sum.test.mjs'])
    expect(session.bugs).toEqual([])
  })

  it('pytest runs its tests, and its caches are taken over after one approval', async ({ skip }) => {
    skip(spawnSync('python3', ['--version']).status !== 0, 'no python3 here')
    const session = await afterRunning('python3 -m pytest -q test_sum.py', {
      'test_sum.py': 'def test_adds():\n    assert 1 + 1 == 2\n',
      '.gitignore': '__pycache__/\n.pytest_cache/\n',
    })
    const gate = await session.gate()
    await session.approveAll()
    const call = (await session.items()).find((item) => item.kind === 'call' && item.tool === 'run_command')
    const text = call?.kind === 'call' ? call.text : ''
    // Commands have the search path of the login shell, whose Python may be another one.
    skip(text.includes('No module named pytest'), 'the Python of commands has no pytest')
    expect(text).toContain('1 passed')
    expect(gate?.gate.kind).toBe('effects')
    expect(gate?.gate.calls[0]?.files).toEqual([])
    const tops = ['.pytest_cache', '__pycache__']
    expect(gate?.gate.calls[0]?.effects?.ignored.map(({ top }) => top).sort()).toEqual(tops)
    expect(readdirSync(session.root)).toEqual(expect.arrayContaining(tops))
    expect(session.bugs).toEqual([])
  })

  /** In a session a line that installs is of high risk, and asked about as without a wall. */
  it.skipIf(!hasNpm)('npm installs a package of the folder without a network', async () => {
    const source = tempFolder()
    writeFileSync(join(source, 'package.json'), '{"name": "local", "version": "1.0.0", "main": "index.js"}\n')
    writeFileSync(join(source, 'index.js'), 'module.exports = 42\n')
    const { project, run } = await sandboxedProject({ 'package.json': '{"name": "a", "private": true}\n' })
    execFileSync('npm', ['pack', '--silent', '--pack-destination', project], { cwd: source })
    const line =
      'npm install ./local-1.0.0.tgz --offline --no-audit --no-fund && node -p "require(\'local\')"'
    const played = await run(line, { timeoutMs: 60_000 })
    expect(played.output).toMatch(/added 1 package.*\b42\n$/s)
    expect(existsSync(join(project, 'node_modules'))).toBe(false)
    expect((await readUpper(played.run)).changes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['package.json', 'package-lock.json', 'node_modules/local/index.js']),
    )
  })

  const dependencies = isLong ? 20_000 : 2_000

  it(`a build sees ${dependencies.toLocaleString('en')} files of dependencies, and only what it made is taken over`, async () => {
    const build = `const { mkdirSync, readFileSync, readdirSync, writeFileSync } = require('node:fs')
const names = readdirSync('node_modules', { recursive: true }).filter((name) => name.endsWith('.js'))
mkdirSync('build')
writeFileSync('build/all.js', names.map((name) => readFileSync('node_modules/' + name, 'utf8')).join(''))
writeFileSync('made.txt', names.length + ' files')
`
    const files = { 'build.cjs': build, '.gitignore': 'node_modules/\nbuild/\n' }
    const session = await afterRunning('node build.cjs', files, (root) => {
      for (let at = 0; at < dependencies; at++) {
        const folder = join(root, 'node_modules', `package-${Math.floor(at / 100)}`)
        if (at % 100 === 0) mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, `${at}.js`), `${at}\n`)
      }
    })
    const gate = await session.gate()
    expect(gate?.gate.calls[0]).toMatchObject({
      files: [{ path: 'made.txt' }],
      effects: { ignored: [{ top: 'build', files: 1 }] },
    })
    await session.approveAll()
    expect(session.read('made.txt')).toBe(`${dependencies} files`)
    expect(session.read('build/all.js').split('\n')).toHaveLength(dependencies + 1)
    expect(readdirSync(join(session.root, 'build'))).toEqual(['all.js'])
    expect(session.bugs).toEqual([])
  })
})
