/**
 * `npm test [-- lint types unit e2e shell package]`: sets up and runs the suites that are named, or all.
 *
 * Failed tests are run once more, alone, after the last suite, and named at the end. The last line is
 * `N passed, N failed`; the exit code is 1 after a failure.
 */
import { prepare, runScript } from './setup/prepare.mjs'
import { afterAnotherRun, isWorthAnotherRun } from './setup/test-again.mjs'
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
  const results = []
  for (const name of names) {
    console.log(`\n${say('suite', { name })}`)
    const result = await suites[name]({ ...setup, names })
    const { counts, code } = result
    if (counts.isCrashed) console.error(say('suiteCrashed', { name, code }))
    if (names.length > 1) console.log(`${name}: ${suiteLine(counts)}`)
    results.push({ failures: [], ...result })
  }
  const isWorthIt = isWorthAnotherRun(results.flatMap(({ failures }) => failures))
  const last = []
  for (const result of results) {
    if (!isWorthIt || result.failures.length === 0) last.push(result)
    else {
      console.log(`\n${say('testsAgain', { count: result.failures.length })}`)
      last.push(afterAnotherRun(result, await result.again()))
    }
  }
  const failed = last.flatMap(({ failures }) => failures)
  const all = last.map(({ counts }) => counts)
  console.log(`\n${[...failureLines(failed, say), summaryLine(all)].join('\n')}`)
  return all.some((counts) => counts.failed > 0) ? 1 : 0
})
