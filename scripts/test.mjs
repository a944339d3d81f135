/**
 * `npm test [-- lint types unit e2e shell package]`: sets up and runs the suites that are named, or all.
 *
 * What failed is named at the end; the last line is `N passed, N failed`; the exit code is 1 after a failure.
 */
import { prepare, runScript } from './setup/prepare.mjs'
import { suiteLine, summaryLine } from './setup/test-counts.mjs'
import { failureLines } from './setup/test-failures.mjs'
import { suites } from './setup/test-suites.mjs'
import { SetupError } from './setup/words.mjs'

await runScript(async () => {
  const asked = process.argv.slice(2)
  const unknown = asked.find((name) => !(name in suites))
  if (unknown !== undefined)
    throw new SetupError(`npm test -- [${Object.keys(suites).join(' ')}]: ${unknown}?`)
  const names = Object.keys(suites).filter((name) => asked.length === 0 || asked.includes(name))
  const setup = await prepare({ needsBuild: false })
  const { say } = setup.words
  const all = []
  const failed = []
  for (const name of names) {
    console.log(`\n${say('suite', { name })}`)
    const { counts, code, failures = [] } = await suites[name]({ ...setup, names })
    if (counts.isCrashed) console.error(say('suiteCrashed', { name, code }))
    if (names.length > 1) console.log(`${name}: ${suiteLine(counts)}`)
    all.push(counts)
    failed.push(...failures)
  }
  console.log(`\n${[...failureLines(failed, say), summaryLine(all)].join('\n')}`)
  return all.some((counts) => counts.failed > 0) ? 1 : 0
})
