/**
 * `npm run soak [-- NAME …]`: the long series of tests, which `npm test` runs in a short form.
 *
 * A test file takes part by reading `TSUGI_SOAK`: thousands of kills, cuts and random edits instead of dozens,
 * and what really goes online. `NAME` picks files by a part of their path. Not part of `npm test`: it takes long.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const wanted = process.argv.slice(2)

function soakFiles(): string[] {
  return ['src', 'electron', 'tests']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.test\.tsx?$/.test(entry.name))
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
    )
    .filter((file) => readFileSync(path.join(root, file), 'utf8').includes('TSUGI_SOAK'))
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
}

const files = soakFiles()
if (files.length === 0) {
  console.error(`No soak test matches ${wanted.join(' ')}`)
  process.exitCode = 1
} else {
  console.log(`Soaking ${files.join(', ')}`)
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--testTimeout=3600000', '--hookTimeout=600000', ...files]
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TSUGI_SOAK: '1' },
  })
  process.exitCode = status ?? 1
}
