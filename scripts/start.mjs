/** `npm start`: sets up, builds and opens the app, in Electron where that can be, else in the browser. */
import { parseArgs } from 'node:util'
import { chooseHost } from './setup/electron-runtime.mjs'
import { root } from './setup/paths.mjs'
import { prepare, runScript } from './setup/prepare.mjs'
import { projectEnv } from './setup/project-node.mjs'
import { runInForeground } from './setup/run-child.mjs'
import { runWebHost, typedIn } from './setup/web-host.mjs'
import { readWords } from './setup/words.mjs'

/** An Electron that ends badly this soon never showed its window: most often a system library is missing. */
const failedStartSeconds = 5

await runScript(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    console.log(readWords().say('help'))
    return 0
  }
  const { words, node } = await prepare()
  const isBrowserWanted = args.includes('--browser') || args.includes('--no-open') || args.includes('--port')
  const hostArgs = [...args.filter((arg) => arg !== '--browser'), ...starterArgs(args)]
  const choice = await chooseHost(words, node, { isBrowserWanted })
  if (choice.executable !== undefined) {
    const { code, seconds } = await runElectron(choice.executable, node, hostArgs)
    if (code === 0 || seconds > failedStartSeconds) return code
    choice.reason = 'electronFailed'
  }
  console.error(words.say(`opening.${choice.reason}`, choice.values))
  return runWebHost(node, hostArgs)
})

/** Returns the options for the first model: starting the app by `npm start` counts as consent to go online for it. */
function starterArgs(args) {
  if (args.includes('--no-model')) return []
  return ['--fetch-starter', ...(process.getuid?.() === 0 ? ['--install-pip'] : [])]
}

/** Electron takes folders as plain arguments, and options only in the form `--name=value`. */
function runElectron(executable, node, args) {
  const { values, positionals } = parseArgs({
    args,
    strict: false,
    allowPositionals: true,
    options: {
      project: { type: 'string', multiple: true },
      data: { type: 'string' },
      model: { type: 'string' },
      lang: { type: 'string' },
    },
  })
  const { project = [], ...options } = values
  const flags = Object.entries(options).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`,
  )
  return runInForeground(executable, [root, ...flags, ...project, ...positionals], {
    cwd: typedIn(),
    env: projectEnv(node),
  })
}
