import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { prompts } from '../../../tests/fakes/agent/agent-talk.ts'
import { toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'
import { AppError } from '../../shared/errors.ts'
import { readSurroundings, type SurroundingsDeps } from './read-surroundings.ts'

const never = new AbortController().signal
const git = { line: 'git status --porcelain --branch', env: { PATH: process.env.PATH ?? '' } }

async function surroundings(language: 'ja' | 'en', change: Partial<SurroundingsDeps> = {}): Promise<string> {
  const rig = await toolRig()
  execFileSync('git', ['init', '-q', '-b', 'draft', rig.root])
  rig.write('package.json', JSON.stringify({ scripts: { test: 'node --test' } }))
  rig.write('src/a.ts', 'one\n')
  rig.write('.gitignore', 'dist\n')
  rig.write('dist/out.js', '')
  const deps: SurroundingsDeps = {
    root: rig.root,
    operations: rig.operations,
    prompts: prompts[language],
    now: Date.UTC(2026, 10, 26, 9),
    platform: 'linux',
    decode: (bytes) => Buffer.from(bytes).toString(),
    isFree: () => true,
    isSandboxed: true,
    git: async () => git,
    ...change,
  }
  return readSurroundings(deps, never)
}

it.each([
  [
    'en',
    [
      'Linux, 2026-11-26.',
      'a cd does not last',
      'They run in a copy of the folder',
      'Git branch draft, 3 changed files.',
      'npm test',
    ],
  ],
  ['ja', ['Linux', '2026-11-26', 'Git ブランチ draft、変更のあるファイル 3', 'npm test']],
] as const)(
  'tells the system, the day, the folder, Git, its commands and its tree: %s',
  async (language, told) => {
    const text = await surroundings(language)
    for (const part of told) expect(text).toContain(part)
    expect(text).toContain('src/\n  a.ts')
    expect(text).not.toContain('dist')
  },
)

it('asks Git without the start files of a shell, which would undo the checked environment', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tsugi-home-'))
  onTestFinished(() => rm(home, { recursive: true }))
  await writeFile(join(home, '.bashrc'), 'git() { echo "## from-a-start-file"; }\n')
  const env = { ...git.env, HOME: home }
  expect(await surroundings('en', { git: async () => ({ ...git, env }) })).toContain('Git branch draft,')
})

it('tells the day where the user is', async () => {
  const zone = process.env.TZ
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  process.env.TZ = 'Asia/Tokyo'
  // Half past six in the morning there.
  const now = Date.UTC(2026, 10, 25, 21, 30)
  expect(await surroundings('ja', { now })).toContain('2026-11-26')
})

it('leaves out Git where it may not be asked or does not answer, and what commands may not be read from', async () => {
  const quiet = [
    { git: async () => null },
    { git: () => Promise.reject(new AppError({ code: 'command/not-read-only', part: 'git' })) },
    { git: async () => ({ ...git, line: 'exit 1' }) },
  ]
  for (const change of quiet) expect(await surroundings('en', change)).not.toContain('Git branch')
  const bare = await surroundings('en', { isFree: () => false, isSandboxed: false })
  expect(bare).not.toContain('npm test')
  expect(bare).not.toContain('copy of the folder')
})
