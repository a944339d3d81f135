import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { ignoredPaths } from './ignored-paths.ts'

const environment = { PATH: process.env.PATH ?? '' }

it.skipIf(process.platform === 'win32')('does not wait for an ignore file that is a pipe', async () => {
  const root = tempFolder()
  const dataDir = tempFolder()
  writeFileSync(join(root, '.gitignore'), 'out\n')
  execFileSync('git', ['init', '-q'], { cwd: root })
  const ask = (paths: string[]) => ignoredPaths({ root, paths, environment, dataDir, limitMs: 1_000 })
  expect(await ask(['out', 'a'])).toEqual(new Set(['out']))
  mkdirSync(join(root, 'sub'))
  execFileSync('mkfifo', [join(root, 'sub/.gitignore')])
  expect((await ask(['sub/a'])).has('sub/a')).toBe(false)
})
