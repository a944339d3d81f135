/**
 * `npm run soak [-- NAME …]`: the long series of tests, which `npm test` runs in a short form.
 *
 * A test file takes part by reading `TSUGI_SOAK`: thousands of kills, cuts and random edits instead of dozens, and
 * tests that go online. `NAME` selects files by a part of their path. Not part of `npm test`, since it takes long.
 * Those in Chromium (`*.spec.ts`) run against the build in `out/`.
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
        .filter((entry) => entry.isFile() && /\.(test\.tsx?|spec\.ts)$/.test(entry.name))
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
  const specs = files.filter((file) => file.endsWith('.spec.ts'))
  const tests = files.filter((file) => !specs.includes(file))
  const statuses = [
    tests.length === 0
      ? 0
      : run('vitest/vitest.mjs', 'run', '--testTimeout=3600000', '--hookTimeout=600000', ...tests),
    specs.length === 0
      ? 0
      : run(
          '@playwright/test/cli.js',
          'test',
          '-c',
          'tests/e2e/playwright.config.ts',
          // Two wait for hosts and for the user while the third works.
          '--workers=3',
          ...specs,
        ),
  ]
  process.exitCode = Math.max(...statuses)
}

/** Runs a program of the packages; answers with how it ended. */
function run(program: string, ...args: string[]): number {
  const { status } = spawnSync(process.execPath, [path.join(root, 'node_modules', program), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TSUGI_SOAK: '1' },
  })
  return status ?? 1
}
