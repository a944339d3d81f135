import {
  approve,
  calls,
  noCalls,
  scriptedMind,
  type Thought,
  workIn,
} from '../fakes/sessions/scripted-mind.ts'
import { type OracleTask, testLine } from './oracle-task.ts'

type Made = OracleTask['reference']['planning'][number]
type Call = [name: string, args: Record<string, unknown>]

/**
 * Creates a model that does the task as in its reference: read, plan, change, test.
 *
 * Shape: `direct` calls tools by itself, and proposes its plan beside its first change; `decided` is asked for a decision
 * before each answer, and for a review.
 */
export function referenceMind(task: OracleTask, path: 'direct' | 'decided'): ReturnType<typeof scriptedMind> {
  return scriptedMind(...(path === 'direct' ? directThoughts(task) : decidedThoughts(task)))
}

/** The requests of a plain loop for the same answers: the calls, and the closing text. */
export function plainRequests({ reference: { planning, execution } }: OracleTask): number {
  return planning.length + execution.length + 1
}

function directThoughts(task: OracleTask): Thought[] {
  const { planning, execution } = task.reference
  const [first = [], ...others] = execution
  return [
    ...planning.map((answer) => calls(...callsOf(task, answer))),
    calls(planOf(task), ...callsOf(task, first)),
    ...others.map((answer) => calls(...callsOf(task, answer))),
    { say: task.goal },
  ]
}

function decidedThoughts(task: OracleTask): Thought[] {
  const { planning, execution } = task.reference
  return [
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
    ...planning.map((answer) => calls(...callsOf(task, answer))),
    calls(planOf(task)),
    // Consent to a plan that deletes leads to its work by itself.
    ...(task.plan.some(({ kind }) => kind === 'delete') ? [] : [workIn('EXECUTION')]),
    ...execution.map((answer) => calls(...callsOf(task, answer))),
    noCalls,
    approve,
  ]
}

function callsOf(task: OracleTask, answer: Made): Call[] {
  return answer.map(
    ({ name, arguments: args }): Call => [
      name,
      args.line === '{test}' ? { ...args, line: testLine(task) } : args,
    ],
  )
}

function planOf(task: OracleTask): Call {
  return [
    'propose_plan',
    {
      title: task.goal,
      purpose: task.goal,
      steps: task.plan,
      risk: 'low',
      successCriteria: testLine(task),
      conflicts: '',
    },
  ]
}
