import { approve, calls, noCalls, scriptedMind, workIn } from '../fakes/scripted-mind.ts'
import { type OracleTask, testLine } from './oracle-task.ts'

type Made = OracleTask['reference']['planning'][number]

/** A model that does the task as its reference says: look, plan, change, test, review. */
export function referenceMind(task: OracleTask): ReturnType<typeof scriptedMind> {
  const { planning, execution } = task.reference
  const said = (answer: Made) =>
    calls(...answer.map(({ name, arguments: args }): [string, Made[0]['arguments']] => [name, filled(args)]))
  const filled = (args: Record<string, unknown>): Record<string, unknown> =>
    args.line === '{test}' ? { ...args, line: testLine(task) } : args
  return scriptedMind(
    workIn('PLANNING', {
      state_delta: {
        goal: task.goal,
        why_now: null,
        constraints: null,
        plan_brief: null,
        open_questions: null,
        summary: task.goal,
      },
    }),
    ...planning.map(said),
    calls([
      'propose_plan',
      {
        title: task.goal,
        purpose: task.goal,
        steps: task.plan,
        risk: 'low',
        successCriteria: testLine(task),
      },
    ]),
    // Consent to a plan that deletes leads to its work by itself.
    ...(task.plan.some(({ kind }) => kind === 'delete') ? [] : [workIn('EXECUTION')]),
    ...execution.map(said),
    noCalls,
    approve,
  )
}
