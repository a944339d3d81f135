/**
 * `npm run shell:coverage`: runs the desktop's specification on the stand-in and lists every Electron API
 * that `electron/` touches with the test that exercised it. Fails where one was not exercised.
 *
 * Shape: `-- --keep` reads the notes of the last run instead of running again.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { findTouchedApis } from './shell/touched-apis.ts'

/** APIs that no run on this system uses, with the unit test that covers each. */
const unitTested = new Map([
  ['App.setAppUserModelId', 'electron/native-shell.test.ts (Windows alone)'],
  ['BrowserWindow.close', 'electron/ending.test.ts (macOS keeps the app when its window closes)'],
  ['UtilityProcess.pid', 'electron/engine-process.test.ts (only reports ask for it)'],
])

const root = path.resolve(import.meta.dirname, '..')
const notes = path.join(root, '.cache/shell-trace')

if (!process.argv.includes('--keep')) runSpecification()
const exercised = readNotes()
for (const [api, test] of unitTested) if (!exercised.has(api)) exercised.set(api, [test])
const touched = [...findTouchedApis(root, 'electron')].sort(([a], [b]) => a.localeCompare(b))
const bare = touched.filter(([api]) => !exercised.has(api))

for (const [api] of touched) {
  const tests = exercised.get(api) ?? []
  const more = tests.length > 1 ? ` (and ${tests.length - 1} more)` : ''
  console.log(`${api.padEnd(48)} ${tests[0] ?? 'BARE'}${more}`)
}
for (const [api, places] of bare) console.error(`no test exercises ${api}, touched in ${places.join(', ')}`)
console.log(`${touched.length - bare.length} of ${touched.length} Electron APIs are exercised`)
if (bare.length > 0) process.exitCode = 1

function runSpecification(): void {
  if (!existsSync(path.join(root, 'out/main/electron.js'))) {
    console.error('The app is not built: run `npm run build` first.')
    process.exit(1)
  }
  rmSync(notes, { recursive: true, force: true })
  const playwright = path.join(root, 'node_modules/@playwright/test/cli.js')
  const output = path.join(root, '.cache/shell-results')
  const { status } = spawnSync(
    process.execPath,
    [playwright, 'test', '-c', 'tests/e2e/playwright.config.ts', 'tests/e2e/shell', `--output=${output}`],
    { cwd: root, stdio: 'inherit', env: { ...process.env, TSUGI_SHELL_TRACE: notes } },
  )
  if (status !== 0) process.exit(1)
}

/** Shape: API → the tests that exercised it. */
function readNotes(): Map<string, string[]> {
  const tests = new Map<string, string[]>()
  for (const name of readdirSync(notes).sort()) {
    for (const api of new Set(readFileSync(path.join(notes, name), 'utf8').trim().split('\n'))) {
      tests.set(api, [...(tests.get(api) ?? []), path.parse(name).name])
    }
  }
  return tests
}
