/** Common programs in a speculation, over its own edits; their changes are accepted. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sandboxHere, triedDataDir } from '../../fakes/rigs/real-sandbox.ts'
import { approve, calls, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import type { SessionHost } from '../../fakes/sessions/session-host.ts'
import { approveGate, editPort, openRoom } from '../../fakes/sessions/speculation-room.ts'

const here = await sandboxHere()
const context = { signal: new AbortController().signal }

const run = (line: string): Thought => calls(['run_command', { line, reason: 'see it' }])

/** Why a program cannot be played here; undefined where it can. */
function whyWithout(program: string, ...args: string[]): string | undefined {
  if (here.kind === 'none') return `no sandbox: ${here.part} ${here.detail}`
  return spawnSync(program, args).status === 0 ? undefined : `no ${[program, ...args].join(' ')} here`
}

/** Plays the lines in a speculation behind an edit, accepts all of it, and returns the output of each line. */
async function accepted(
  lines: readonly string[],
  files: Record<string, string>,
  prepare: (host: SessionHost) => void = () => undefined,
): Promise<{ host: SessionHost; said: string[] }> {
  const room = await openRoom([...editPort(...lines.map(run)), approve], {
    files,
    dataDir: triedDataDir(),
    async prepare(room) {
      prepare(room)
      const { app, workId } = room
      await app.api['sandbox.get']({ workId, isTriedAgain: false }, context)
      await app.api['sandbox.set']({ workId, isOn: true }, context)
      await app.api['session.setMode']({ sessionId: room.sessionId, mode: 'auto-edit' }, context)
    },
  })
  const { host, speculations } = room
  const link = await speculations.becomes({ phase: 'completed' })
  expect(link.boundary).toBeNull()
  expect(host.read('src/app.ts')).toContain('port = 1')
  const { onAccept } = await speculations.becomes({ onAccept: expect.stringMatching(/./) })
  await speculations.accept(link)
  if (onAccept === 'ask') await approveGate(room)
  expect(await speculations.gone()).toBe('accepted')
  const items = await host.items()
  const said = items.flatMap((item) => (item.kind === 'call' && item.tool === 'run_command' ? item.text : []))
  expect(said).toHaveLength(lines.length)
  return { host, said }
}

const nodeTest = `import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import assert from 'node:assert'
test('port', () => {
  assert.match(readFileSync('src/app.ts', 'utf8'), /port = 2/)
  writeFileSync('covered.txt', 'app.ts\\n')
})
`
const format = `const { readFileSync, writeFileSync } = require('node:fs')
writeFileSync('src/app.ts', readFileSync('src/app.ts', 'utf8').replaceAll('"', "'"))
`

it('node --test, npm and git see what was speculated, and what they changed is taken over', async ({
  skip,
}) => {
  const why = whyWithout('git', '--version') ?? whyWithout('npm', '--version')
  skip(why !== undefined, why)
  const git = (root: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: root,
      encoding: 'utf8',
    })
  const lines = ['node --test app.test.mjs', 'npm run format', 'git status --short', 'git diff --stat']
  const files = {
    'app.test.mjs': nodeTest,
    'format.cjs': format,
    'package.json': '{"name": "a", "scripts": {"format": "node format.cjs"}}\n',
  }
  const { host, said } = await accepted(lines, files, ({ root }) => {
    git(root, 'init', '-q')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'first')
  })
  expect(said[0]).toContain('pass 1')
  expect(said[2]).toContain(' M src/app.ts')
  expect(said[2]).toContain('?? covered.txt')
  expect(said[3]).toContain('src/app.ts')
  expect(host.read('src/app.ts')).toBe("export const port = 2\nexport const host = 'a'\n")
  expect(host.read('covered.txt')).toBe('app.ts\n')
  expect(git(host.root, 'status', '--short', 'src', 'covered.txt')).toBe(' M src/app.ts\n?? covered.txt\n')
})

const pythonTest = `import unittest
class Port(unittest.TestCase):
    def test_port(self):
        self.assertIn('port = 2', open('src/app.ts').read())
        open('covered.txt', 'w').write('app.ts\\n')
`

it.for([
  { line: 'python3 -m unittest test_app', module: 'unittest', says: 'OK' },
  { line: 'python3 -m pytest -q test_app.py', module: 'pytest', says: '1 passed' },
])(
  '$line sees what was speculated, and what it changed is taken over',
  async ({ line, module, says }, { skip }) => {
    const why = whyWithout('python3', '--version')
    skip(why !== undefined, why)
    const { host, said } = await accepted([line], { 'test_app.py': pythonTest })
    // Commands have the search path of the login shell, whose Python may be another one.
    skip(said[0]?.includes(`No module named ${module}`) === true, `the Python of commands has no ${module}`)
    expect(said[0]).toContain(says)
    expect(host.read('src/app.ts')).toContain('port = 2')
    expect(host.read('covered.txt')).toBe('app.ts\n')
    // A compiled module, which no tool may write, is built and taken over.
    expect(readdirSync(join(host.root, '__pycache__'))).toEqual([expect.stringMatching(/\.pyc$/)])
  },
)
