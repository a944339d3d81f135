import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { PlanStep } from '../../src/shared/domain/session/agent-plan.ts'

const tasksDir = join(import.meta.dirname, 'tasks')
/** Suffix of the names of files in `start/`, so that no tool of this repository processes them. */
const startEnding = '.txt'
const limitTestMs = 20_000

const Answer = z.array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }))

/**
 * A small task with its own tests, which fail before it is done and pass after it.
 *
 * Shape: `reference` is a solution as the calls of each answer, in order; `{node}`, `{python}` and `{test}` in
 * commands stand for what this machine has.
 */
export const OracleTask = z.strictObject({
  id: z.string(),
  language: z.enum(['javascript', 'typescript', 'python']),
  speaks: z.enum(['ja', 'en']),
  message: z.string(),
  testCommand: z.array(z.string()).min(1),
  goal: z.string(),
  plan: z.array(PlanStep),
  reference: z.strictObject({ planning: z.array(Answer), execution: z.array(Answer) }),
})
export type OracleTask = z.infer<typeof OracleTask>

export function readTasks(): OracleTask[] {
  return readdirSync(tasksDir).map((id) => {
    const task = OracleTask.parse(JSON.parse(readFileSync(join(tasksDir, id, 'task.json'), 'utf8')))
    if (task.id !== id) throw new Error(`${id}: its task.json says ${task.id}`)
    return task
  })
}

/** Copies the initial files of the task, byte by byte. */
export function layOut({ id }: OracleTask, root: string): void {
  const start = join(tasksDir, id, 'start')
  for (const name of readdirSync(start, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith(startEnding)) continue
    const to = join(root, name.slice(0, -startEnding.length))
    mkdirSync(dirname(to), { recursive: true })
    cpSync(join(start, name), to)
  }
}

function testArguments({ testCommand }: OracleTask): string[] {
  return testCommand.map((word) =>
    word.replaceAll('{node}', process.execPath).replaceAll('{python}', 'python3'),
  )
}

/** The task's tests as a line for a shell. */
export function testLine(task: OracleTask): string {
  return testArguments(task)
    .map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ')
}

/** Runs the task's tests outside of the app, as the user would. */
export function runTests(task: OracleTask, root: string): Promise<{ isPassed: boolean; output: string }> {
  const [file = '', ...args] = testArguments(task)
  const { PATH, HOME, LANG } = process.env
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      { cwd: root, env: { PATH, HOME, LANG }, timeout: limitTestMs },
      (error, stdout, stderr) => resolve({ isPassed: error === null, output: stdout + stderr }),
    )
  })
}

/** False where the task's language is not on this machine. */
export function canRun({ language }: Pick<OracleTask, 'language'>): Promise<boolean> {
  if (language !== 'python') return Promise.resolve(true)
  return new Promise((resolve) => execFile('python3', ['--version'], (error) => resolve(error === null)))
}
