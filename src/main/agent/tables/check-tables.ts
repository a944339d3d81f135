import {
  type AgentPlace,
  AgentStatus,
  AgentStep,
  AgentWaiting,
  isRestingPosition,
} from '../../../shared/domain/session/agent-step.ts'
import { type Cause, dispatchTable, errorTable, hostTable, modelTable } from './agent-tables.ts'
import { type Condition, isFrom, type TableRow, targetOf, viaOf } from './table-row.ts'

/** Causes that a model's answer can bring about. None of them may leave AWAITING_APPROVAL. */
const modelCauses = new Set<string>([
  'decision.reply',
  'decision.work',
  'decision.check-failed',
  'decision.refused-twice',
  'decision.gate',
  'reply.finished',
  'reply.done',
  'work.finished',
  'plan.risky',
  'question.asked',
  'review.approve',
  'review.revise',
  'review.reject',
] satisfies Cause[])
const recoveryConditions: readonly (Condition | undefined)[] = ['may-recover', 'may-recover-and-decide']

const places: AgentPlace[] = AgentStep.options
  .flatMap((step) => AgentStatus.options.map((status) => ({ step, status })))
  .filter((place) => AgentWaiting.options.some((waiting) => isRestingPosition({ ...place, waiting })))

/** Returns the problems of the tables; empty when they may be used. */
export function tableProblems(rows: readonly TableRow[] = [...hostTable, ...errorTable]): string[] {
  return [...rows.flatMap((row, index) => rowProblems(row, rows.slice(0, index))), ...modelTableProblems()]
}

function rowProblems(row: TableRow, before: readonly TableRow[]): string[] {
  const problems: string[] = []
  const from = places.filter((place) => isFrom(row, place))
  if (from.length === 0) problems.push('no session is ever there')
  if (before.some((other) => other.id === row.id)) problems.push('its id is in use')
  for (const place of from) {
    const target = targetOf(row, place.step)
    const via = viaOf(row, place.step)
    if (target !== null && !isRestingPosition(target)) problems.push(`leads to no resting place (${row.to})`)
    if (via !== null && (via.step !== place.step || via.status !== 'SUCCESS'))
      problems.push('passes through another step than its own')
    const isLeaving = place.step === 'AWAITING_APPROVAL' && target !== null
    if (isLeaving && row.causes.some((cause) => modelCauses.has(cause)))
      problems.push('lets the model leave AWAITING_APPROVAL')
  }
  if (row.actions.some(({ type }) => type === 'use-recovery') && !recoveryConditions.includes(row.when))
    problems.push('recovers without an end')
  for (const cause of row.causes)
    if (isShadowed(row, cause, from, before)) problems.push(`${cause} never gets here`)
  return [...new Set(problems)].map((problem) => `${row.id}: ${problem}`)
}

function isShadowed(row: TableRow, cause: string, from: AgentPlace[], before: readonly TableRow[]): boolean {
  const same = before.filter(
    (other) => other.causes.includes(cause) && (other.when === undefined || other.when === row.when),
  )
  return from.every((place) => same.some((other) => isFrom(other, place)))
}

function modelTableProblems(): string[] {
  const leaving = Object.entries(modelTable.AWAITING_APPROVAL)
    .filter(([to, cell]) => to !== 'AWAITING_APPROVAL' && cell.answer !== 'refused')
    .map(([to]) => `model: AWAITING_APPROVAL to ${to}`)
  const staying = AgentStep.options
    .filter((step) => modelTable[step][step].answer !== 'stay')
    .map((step) => `model: ${step} to itself is no transition`)
  const acting = Object.values(dispatchTable.pending_user)
    .concat(Object.values(dispatchTable.defer))
    .filter((dispatch) => dispatch === 'work')
    .map(() => 'dispatch: tools while the user is waited for')
  return [...leaving, ...staying, ...acting]
}
