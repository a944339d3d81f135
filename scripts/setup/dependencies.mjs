import { existsSync, readFileSync } from 'node:fs'
import { npmCommand } from './npm-command.mjs'
import { inRoot, root } from './paths.mjs'
import { createProgressLine } from './progress-line.mjs'
import { runQuietly } from './run-child.mjs'
import { SetupError } from './words.mjs'

/** Installs the packages of the lock file where `node_modules` differs from it. */
export async function ensureDependencies({ say }) {
  const wanted = readPackages(inRoot('package-lock.json'))
  if (isInstalled(wanted, readPackages(inRoot('node_modules/.package-lock.json')))) return
  const line = createProgressLine()
  const startedAt = Date.now()
  console.error(say('installing'))
  const timer = setInterval(() => {
    line.show(say('installingProgress', { seconds: Math.round((Date.now() - startedAt) / 1000) }))
  }, 1000)
  const { command, args } = npmCommand()
  const npmArgs = [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const { code, output } = await runQuietly(command, npmArgs, { cwd: root })
  clearInterval(timer)
  line.end({ isKept: false })
  if (code === null) throw new SetupError(say('noNpm'))
  if (code !== 0) throw new SetupError(say('installFailed', { reason: lastError(output) }))
}

/** Compares the lock file with npm's record of installed packages. A package for another platform may be absent. */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === '' || entry.link) return true
    const present = installed[name]
    if (present === undefined) return entry.optional === true || entry.devOptional === true
    return present.version === entry.version && present.integrity === entry.integrity
  })
}

function readPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {}
}

/** Returns npm's first line about the error itself; the others are advice and the path of a log. */
function lastError(output) {
  const errors = output.split('\n').filter((line) => /^npm (error|ERR!)/.test(line))
  const first = errors.find((line) => !/(error|ERR!) (code|errno|syscall)\b/.test(line)) ?? errors[0]
  return first?.replace(/^npm (error|ERR!)\s*/, '').trim() ?? 'npm ci'
}
