/**
 * Plays the small coding tasks of `tests/oracle/` through whole sessions and lets their own tests decide:
 * `npm run oracle -- --address URL --model NAME [--task ID]`.
 *
 * Without `--model` the address is a KoboldCpp server's; without an address the tasks' own references are played, and
 * one that takes more requests than a plain loop counts as failed. Models that call tools play the direct path.
 * Every gate is approved: play only models that may do what they like to a temporary folder. Exits with 1 when a
 * task fails or none is run.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startSessionLlama } from '../tests/fakes/servers/session-llama.ts'
import { openTestApp } from '../tests/fakes/sessions/session-host.ts'
import { canRun, layOut, type OracleTask, readTasks, runTests } from '../tests/oracle/oracle-task.ts'
import { playTask } from '../tests/oracle/play-task.ts'
import { plainRequests, referenceMind } from '../tests/oracle/reference-mind.ts'

const { values: given } = parseArgs({
  options: {
    address: { type: 'string' },
    model: { type: 'string' },
    task: { type: 'string', multiple: true },
  },
})
/** Maximum number of times that a model that asks instead of working is told to go on. */
const nudges = 3
const limitMs = 15 * 60_000
const context = { signal: new AbortController().signal }

type Row = { id: string; result: string; requests: string; tokens: string; seconds: string }

const tasks = readTasks().filter(({ id }) => given.task === undefined || given.task.includes(id))
const workDir = realpathSync(mkdtempSync(join(tmpdir(), 'tsugi-oracle-')))
const opened = await openTestApp({ decideFirst: 'auto', dataDir: join(workDir, 'data') })
const reference = given.address === undefined ? await playReferences() : null
if (given.address !== undefined) await chooseModel(given.address, given.model)
let rows: Row[] = []
try {
  print({ id: 'task', result: 'result', requests: 'asked', tokens: 'tokens in / out', seconds: 'time' })
  for (const task of tasks) {
    const row = await play(task)
    print(row)
    rows = [...rows, row]
  }
} finally {
  await opened.app.close()
  await reference?.close()
  rmSync(workDir, { recursive: true, force: true })
}
const failed = rows.filter(({ result }) => result.startsWith('failed'))
const skipped = rows.filter(({ result }) => result.startsWith('skipped'))
console.log(
  `${rows.length - failed.length - skipped.length} passed, ${failed.length} failed, ${skipped.length} skipped`,
)
process.exitCode = failed.length > 0 || rows.length === skipped.length ? 1 : 0

async function play(task: OracleTask): Promise<Row> {
  const bare = { id: task.id, requests: '', tokens: '', seconds: '' }
  if (!(await canRun(task))) return { ...bare, result: 'skipped: no python3' }
  const root = mkdtempSync(join(workDir, `${task.id}-`))
  layOut(task, root)
  if (reference !== null) reference.options.answer = referenceMind(task, 'direct').answer
  await opened.app.api['settings.update']({ patch: { language: task.speaks } }, context)
  const player = await opened.open({ root })
  const began = performance.now()
  const played = await playTask(player, task, { canCommandsWrite: true, nudges, limitMs })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const { stats, problems, isTimeUp, state } = played
  const tests = await runTests(task, root)
  const { step, status } = state.position
  const failure = (await player.items()).findLast((item) => item.kind === 'error')?.error?.code ?? ''
  const end = `the tests fail; the session ended in ${step}/${status} ${failure}`.trimEnd()
  const limit = reference === null ? Number.POSITIVE_INFINITY : plainRequests(task)
  const isDear = stats.requests > limit
  const dear = isDear ? `${stats.requests} requests, a plain loop makes ${limit}` : end
  const why = problems[0] ?? (isTimeUp ? 'time is up' : dear)
  return {
    ...bare,
    result: tests.isPassed && problems.length === 0 && !isDear ? 'passed' : `failed: ${why}`,
    requests: String(stats.requests),
    tokens: `${stats.promptTokens} / ${stats.completionTokens}`,
    seconds: `${seconds} s`,
  }
}

function print({ id, result, requests, tokens, seconds }: Row): void {
  const figures = `${requests.padStart(5)}  ${tokens.padStart(17)}  ${seconds.padStart(8)}`
  console.log(`${id.padEnd(22)} ${figures}  ${result}`)
}

async function chooseModel(address: string, model: string | undefined): Promise<void> {
  await opened.app.api['model.use'](
    model === undefined ? { backend: 'koboldcpp', address } : { backend: 'openai', address, model },
    context,
  )
}

async function playReferences() {
  const llama = await startSessionLlama()
  await chooseModel(llama.address, 'reference')
  return llama
}
