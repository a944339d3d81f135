import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { ensureBubblewrap } from './bubblewrap.mjs'
import { ensureBuild } from './build.mjs'
import { ensureChromium } from './chromium.mjs'
import { npmCommand } from './npm-command.mjs'
import { inRoot, root } from './paths.mjs'
import { projectEnv } from './project-node.mjs'
import { runInForeground, runQuietly } from './run-child.mjs'
import { vitestSelection } from './test-again.mjs'
import { countExit, countPlaywright, countVitest } from './test-counts.mjs'
import { playwrightFailures, playwrightPassed, vitestFailures, vitestPassed } from './test-failures.mjs'
import { SetupError } from './words.mjs'

/**
 * The suites by name, in the order in which they run. Unit tests wait for disks, servers and children, and the
 * specifications for their pages, so other suites run beside them and are told of in their turn.
 *
 * Shape: each takes `{ words, node, names }`, `names` those of all suites of this run, and resolves with its
 * counts, the exit code of its tool, and, where the tool names tests, those that failed and `again`, which runs these
 * once more and resolves with the names of what then passed.
 */
export const suites = {
  unit: async ({ words, node, names = [] }) => {
    await ensureBubblewrap(words)
    if (names.includes('e2e')) void chromiumFor(words)
    for (const script of ['lint', 'types']) if (names.includes(script)) beginQuietly(node, script)
    const report = freshReport('unit.json')
    const { code } = await run(node, vitestCommand(report))
    const failures = vitestFailures(report)
    const again = async () => {
      const second = freshReport('unit-again.json')
      await run(node, [...vitestCommand(second), '--maxWorkers=1', ...vitestSelection(failures)])
      return vitestPassed(second)
    }
    return { counts: countVitest(report, code), code, failures, again }
  },

  lint: ({ node }) => endOf(node, 'lint'),

  types: ({ node }) => endOf(node, 'types'),

  e2e: async ({ words, node, names = [] }) => {
    const report = freshReport('e2e.json')
    const chromium = await chromiumFor(words)
    if (chromium === undefined) return { counts: countExit(1), code: 1 }
    try {
      await ensureBuild(words, node)
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      console.error(error.message)
      return { counts: countExit(1), code: 1 }
    }
    if (names.includes('package')) beginQuietly(node, 'package:check')
    const env = { TSUGI_CHROMIUM: chromium, TSUGI_SHELL_TRACE: freshFolder('shell-trace') }
    const play = (file, ...args) =>
      run(node, [...playwrightCommand, ...args], { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: file })
    const { code } = await play(report)
    const again = async () => {
      const second = freshReport('e2e-again.json')
      // The second run empties the folder, and what the window showed at a failure is wanted most where it then passes.
      cpSync(inRoot('test-results'), freshFolder('test-results'), { recursive: true })
      await play(second, '--last-failed', '--workers=1')
      return playwrightPassed(second)
    }
    return { counts: countPlaywright(report, code), code, failures: playwrightFailures(report), again }
  },

  /** Every Electron API that the shell touches was exercised by the specifications just run; those may be run again. */
  shell: async ({ node }) => {
    const check = () => runNpmScript(node, 'shell:coverage', ['--', '--keep'])
    const name = 'shell:coverage'
    const result = await check()
    const failures = result.code === 0 ? [] : [{ name, file: name, message: '', isFlaky: false }]
    return { ...result, failures, again: async () => ((await check()).code === 0 ? [name] : []) }
  },

  /** The packed app, built and checked without Electron's runtime. */
  package: ({ node }) => endOf(node, 'package:check'),
}

const vitestCommand = (report) => [
  inRoot('node_modules/vitest/vitest.mjs'),
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
]

const playwrightCommand = [
  inRoot('node_modules/@playwright/test/cli.js'),
  'test',
  '-c',
  'tests/e2e/playwright.config.ts',
  '--reporter=list,json',
]

/** @type {Promise<string | undefined> | undefined} */
let foundChromium

/** Finds or installs Chromium, once: it is installed while the unit tests run, since that is mostly waiting. */
function chromiumFor(words) {
  foundChromium ??= ensureChromium(words)
  return foundChromium
}

/** The npm scripts that run beside a suite, by name; each ends with its code and all that it said. */
const begun = new Map()
let lastBegun = Promise.resolve()

/** Runs a script beside the suite, after those that were begun before it. */
function beginQuietly(node, script) {
  const { command, args } = npmCommand()
  const options = { cwd: root, env: projectEnv(node) }
  lastBegun = lastBegun.then(() => runQuietly(command, [...args, 'run', '--silent', script], options))
  begun.set(script, lastBegun)
}

/** Waits for a script that was begun, or runs it now; returns its result. */
async function endOf(node, script) {
  const under = begun.get(script)
  if (under === undefined) return runNpmScript(node, script)
  const { code, output } = await under
  process.stdout.write(output)
  return { counts: countExit(code), code }
}

async function runNpmScript(node, name, more = []) {
  const { command, args } = npmCommand()
  const { code } = await runInForeground(command, [...args, 'run', '--silent', name, ...more], {
    cwd: root,
    env: projectEnv(node),
  })
  return { counts: countExit(code), code }
}

function run(node, args, extraEnv = {}) {
  return runInForeground(node, args, { cwd: root, env: projectEnv(node, extraEnv) })
}

/** A path for a report, without the report of an earlier run, which would hide a crash. */
function freshReport(name) {
  const file = inRoot(`.cache/test-reports/${name}`)
  mkdirSync(inRoot('.cache/test-reports'), { recursive: true })
  rmSync(file, { force: true })
  return file
}

function freshFolder(name) {
  const folder = inRoot(`.cache/${name}`)
  rmSync(folder, { recursive: true, force: true })
  return folder
}
