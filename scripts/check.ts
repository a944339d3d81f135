/**
 * `npm run check`, to run before each commit: lint and types of the changed files, and the unit tests that import them.
 *
 * Changed is what differs from where the branch left `main`, committed or not, new files too.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const startedAt = Date.now()

function git(...args: string[]): string[] {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.split('\0').filter((line) => line !== '') : []
}

/** Paths from the root of the repository, without what is gone. */
function changedFiles(): string[] {
  const [base = 'HEAD'] = git('merge-base', 'HEAD', 'main').map((line) => line.trim())
  const changed = git('diff', '--name-only', '-z', '--no-renames', base)
  const fresh = git('ls-files', '--others', '--exclude-standard', '-z')
  return [...new Set([...changed, ...fresh])].filter((file) => existsSync(path.join(root, file)))
}

type Outcome = { name: string; isGood: boolean; output: string }

/** Runs a program of the packages, or a script; prints its output where it fails. */
function run(name: string, program: string, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, program), ...args], { cwd: root })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        output += part.toString()
      })
    child.on('error', reject)
    child.on('close', (code) => resolve({ name, isGood: code === 0, output }))
  })
}

const files = changedFiles()
const code = files.filter((file) => /\.(tsx?|mjs)$/.test(file))
const typed = code.filter((file) => /^(src|electron|tests|bench|scripts)\/.*\.tsx?$/.test(file))

async function lint(): Promise<Outcome[]> {
  const outcomes = [
    await run(
      'biome',
      'node_modules/@biomejs/biome/bin/biome',
      'check',
      '--no-errors-on-unmatched',
      ...(files.length > 0 ? files : ['scripts/check.ts']),
    ),
    await run('layers', 'scripts/check-layers.ts'),
  ]
  if (typed.length === 0) return outcomes
  return [...outcomes, await run('promises', 'scripts/check-promises.ts', ...typed)]
}

/** Tests of whole apps, which import nearly everything: of these only those that changed run here, all in `npm test`. */
const wholeApps = ['tests/faults', 'tests/integration', 'tests/oracle']

/** Tests that a changed tool breaks most often, also where only its texts changed, which no test imports. */
const testsOfTools = [
  'src/main/agent/model/head-size.test.ts',
  'tests/integration/sessions/direct-path.test.ts',
  'tests/faults/tools/tool-swaps.test.ts',
  'tests/faults/tools/tool-traits.test.ts',
]
const isOfTools =
  /^src\/main\/tools\/definitions\/|\/tool-name\.ts$|^resources\/prompts\/|\/i18n\/tools\.json$/

async function tests(): Promise<Outcome[]> {
  const vitest = 'node_modules/vitest/vitest.mjs'
  const outcomes: Outcome[] = []
  if (code.length > 0) {
    const excluded = wholeApps.map((folder) => `--exclude=${folder}/**`)
    const options = [...excluded, '--passWithNoTests', '--reporter=dot']
    outcomes.push(await run('unit', vitest, 'related', '--run', ...options, ...code))
  }
  const changed = code.filter((file) => /^tests\/(integration|oracle)\/.*\.test\.ts$/.test(file))
  const named = new Set([...changed, ...(files.some((file) => isOfTools.test(file)) ? testsOfTools : [])])
  if (named.size > 0)
    outcomes.push(
      await run('whole apps, budgets of tools, path attacks', vitest, 'run', '--reporter=dot', ...named),
    )
  return outcomes
}

const checks = await Promise.all([lint(), run('types', 'scripts/check-types.ts').then((one) => [one])])
const outcomes = [...checks.flat(), ...(await tests())]
for (const { name, isGood, output } of outcomes) {
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${name}`)
  if (!isGood) console.error(output.trimEnd())
}
console.log(`${files.length} changed files, ${Math.round((Date.now() - startedAt) / 1000)} s`)
if (outcomes.some(({ isGood }) => !isGood)) process.exitCode = 1
