/**
 * A host that runs commands in the background, prints their process ids and then ends abnormally; run by the tests of
 * leftover commands.
 *
 * Arguments: data folder, folder to run in, `wait` (to be killed), `throw` or `exit`; it ends after standard input.
 */
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { createCommandRunner } from '../../../src/main/tools/commands/create-command-runner.ts'
import { createShellCheck } from '../../../src/main/tools/shell/create-shell-check.ts'
import { silentLog } from '../silent-log.ts'

const [dataDir = '', cwd = '', how = ''] = process.argv.slice(2)
const runner = createCommandRunner({
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  hostId: systemRandom.id(),
  dataDir,
  shellCheck: await createShellCheck(fileURLToPath(new URL('../../../resources/', import.meta.url))),
  loginEnvironment: async () => ({ variables: { PATH: '/usr/bin:/bin' }, source: 'login' }),
})
const lines = ["trap '' TERM PIPE; echo $$; while :; do sleep 0.05; done", 'echo $$; exec sleep 60']
const started = await Promise.all(
  lines.map((line) =>
    runner.run(
      { ownerId: 'session', line, cwd, isBackground: true },
      { signal: new AbortController().signal },
    ),
  ),
)
process.stdout.write(`${started.map(({ output }) => output).join('')}ready\n`)
process.stdin.once('data', () => {
  if (how === 'exit') process.exit(0)
  if (how === 'throw') throw new Error('a bug that nobody catches')
})
