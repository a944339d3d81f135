import type { AgentDecision } from '../../../shared/domain/agent-decision.ts'
import type { ModelUsage } from '../../../shared/domain/model-status.ts'
import { AppError } from '../../../shared/errors.ts'
import type { AgentPrompts } from '../../prompts/agent-prompts.ts'
import { decisionSchema } from '../decision-format.ts'
import { firstObject, withoutThinking } from '../decision-text.ts'
import { type DecisionReading, readDecision } from '../read-decision.ts'
import type { DecisionOutcome, RequestContext, RequestHooks } from './agent-model.ts'
import { type AgentRequests, constraintFor, type PreparedRequest } from './agent-request.ts'
import type { ModelAnswer } from './model-answer.ts'
import { shortSchema } from './short-schema.ts'
import { wantedDecision } from './wanted-parts.ts'

/** How much of an unreadable answer the model is shown again. Units: UTF-16 code units. */
const shownAgain = 1_500
/** The second try is held to a third of the length: most that fail were cut. */
const retryShare = 1 / 3

/**
 * Main's decision: constrained where the client can, else by the ladder; one retry with the validator's message.
 *
 * Errors: `model/bad-decision` after the retry; throws the signal's reason when stopped.
 * Source: `../shared/spec/2-models.md`, Structured output; `../shared/spec/3-agent.md`, rows 1, 2, 25.
 */
export async function makeDecision(
  requests: AgentRequests,
  prompts: AgentPrompts,
  context: RequestContext,
  hooks: RequestHooks,
  signal: AbortSignal,
): Promise<DecisionOutcome> {
  const active = await requests.active(signal)
  const prepared = await requests.prepare({
    active,
    context,
    purpose: 'decide',
    hasSituation: true,
    wanted: () => [wantedDecision(prompts)],
    hooks,
    signal,
  })
  const first = await ask(requests, prepared, context, 1, [], hooks, signal)
  if (first.reading.ok) return outcomeOf(prepared, context, first.answer, first.reading, null)
  const { reason, issues } = first.reading
  const why = prompts.outcomes.unreadable[reason].replace('{{issues}}', () => issues.join('\n'))
  const bad = first.answer.text.slice(0, shownAgain).toWellFormed()
  const more = [
    ...(bad === '' ? [] : [{ role: 'assistant' as const, content: bad }]),
    { role: 'user' as const, content: prompts.render('retry', { issues: why }) },
  ]
  const second = await ask(requests, prepared, context, retryShare, more, hooks, signal)
  if (second.reading.ok)
    return outcomeOf(prepared, context, second.answer, second.reading, first.answer.usage)
  throw new AppError({ code: 'model/bad-decision', reason: second.reading.reason })
}

type Asked = { answer: ModelAnswer; reading: DecisionReading }

async function ask(
  requests: AgentRequests,
  prepared: PreparedRequest,
  context: RequestContext,
  share: number,
  more: Parameters<AgentRequests['send']>[2]['more'] & object,
  hooks: RequestHooks,
  signal: AbortSignal,
): Promise<Asked> {
  const { active, prompt } = prepared
  const schema = shortSchema(decisionSchema, Math.floor(prompt.maxTokens * share))
  const constraint = constraintFor(active.client, schema)
  const options = { constraint, isProse: false, canCall: false, more }
  const answer = await requests.send(prepared, context, options, hooks, signal)
  if (answer.end === 'aborted') throw signal.reason
  return { answer, reading: readDecision(answer.text, { isCut: answer.end === 'length' }) }
}

/** The log keeps the decision as it was written; a failed first try is not kept. */
function outcomeOf(
  { active, entries }: PreparedRequest,
  { turn }: RequestContext,
  answer: ModelAnswer,
  { decision, isRepaired, clipped }: Extract<DecisionReading, { ok: true }>,
  before: ModelUsage | null,
): DecisionOutcome {
  const text = isRepaired ? JSON.stringify(decision) : writtenAs(answer.text, decision)
  return {
    entries: [...entries, { turn, role: 'assistant', kind: 'decision', text }],
    usage: bothUsages(before, answer.usage),
    modelName: active.modelName,
    isDemo: active.isDemo,
    decision,
    isRepaired,
    clipped,
  }
}

function writtenAs(text: string, decision: AgentDecision): string {
  return firstObject(withoutThinking(text)) ?? JSON.stringify(decision)
}

function bothUsages(first: ModelUsage | null, second: ModelUsage | null): ModelUsage | null {
  if (first === null || second === null) return second
  return {
    ...second,
    completionTokens: first.completionTokens + second.completionTokens,
    msTotal: first.msTotal + second.msTotal,
  }
}
