import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import type { AgentDecision } from '../../../shared/domain/session/agent-decision.ts'
import { AppError } from '../../../shared/errors.ts'
import type { ActiveModel } from '../../models/profiles/active-model.ts'
import type { AgentPrompts } from '../../prompts/agent-prompts.ts'
import { decisionSchema, shortSchema } from '../decision/decision-format.ts'
import { firstObject, withoutThinking } from '../decision/decision-text.ts'
import { type DecisionReading, readDecision } from '../decision/read-decision.ts'
import type { DecisionOutcome, RequestContext, RequestHooks } from './agent-model.ts'
import type { AgentRequests, PreparedRequest } from './agent-request.ts'
import { constraintFor } from './answer-grammar.ts'
import type { ModelAnswer } from './model-answer.ts'
import { wantedDecision } from './prompt/prompt-block.ts'

/** How much of an unreadable answer the model is shown again. Units: UTF-16 code units. */
const shownAgain = 600
/** Factor for a decision's texts: they cost more tokens per character than the prompt, which was measured. */
const margin = 1.5
/** Worst case for the second try, where each byte is a token: most first tries that fail were cut. Units: tokens. */
const worstPerCharacter = 4

/**
 * Asks for Main's decision: constrained where the client can, else by the ladder; one retry with the validator's
 * message.
 *
 * Errors: `model/bad-decision` after the retry; throws the signal's reason when stopped.
 * Source: `docs/decisions/models.md`, Structured output; `docs/decisions/sessions.md`, points 1, 2, 5.
 */
export async function makeDecision(
  requests: AgentRequests,
  prompts: AgentPrompts,
  context: RequestContext,
  hooks: RequestHooks,
  signal: AbortSignal,
): Promise<DecisionOutcome> {
  const active = await requests.active(signal)
  let prepared = await prepareDecision(requests, prompts, active, context, hooks, signal)
  let first = await ask(requests, prepared, context, decisionOptions(prepared), hooks, signal)
  if (isThoughtOnly(first) && prepared.thinkingTokens === 0) {
    // The reasoning left no room for the answer: ask again with room for both.
    prepared = requests.withThinking(prepared)
    first = await ask(requests, prepared, context, decisionOptions(prepared), hooks, signal)
  }
  if (first.reading.ok) return outcomeOf(prepared, context, first.answer, first.reading, null)
  const more = complaint(prompts, first.answer.text, first.reading)
  const again = await requests.withMore(prepared, more, signal)
  const worst = decisionOptions(again, worstPerCharacter)
  const second = await ask(requests, again, context, worst, hooks, signal)
  if (second.reading.ok)
    return outcomeOf(prepared, context, second.answer, second.reading, first.answer.usage)
  throw new AppError({ code: 'model/bad-decision', reason: second.reading.reason })
}

export function prepareDecision(
  requests: AgentRequests,
  prompts: AgentPrompts,
  active: ActiveModel,
  context: RequestContext,
  hooks: RequestHooks,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  return requests.prepare({
    active,
    context,
    purpose: 'decide',
    hasSituation: true,
    wanted: () => [wantedDecision(prompts)],
    hooks,
    signal,
  })
}

/** Returns the options that a decision is sent with; by default those of the first try. */
export function decisionOptions(prepared: PreparedRequest, perCharacter = usualPerCharacter(prepared)) {
  const { active, prompt } = prepared
  const schema = shortSchema(decisionSchema, prompt.maxTokens, perCharacter)
  const constraint = constraintFor(active.client, schema, { isOneLine: true })
  return { constraint, isProse: false, canCall: false }
}

/** Returns the messages of the retry: the answer, then what was wrong with it. A cut answer is not repeated. */
function complaint(
  prompts: AgentPrompts,
  said: string,
  { reason, issues }: Extract<DecisionReading, { ok: false }>,
): { role: 'assistant' | 'user'; content: string }[] {
  const why = prompts.outcomes.unreadable[reason].replace('{{issues}}', () => issues.join('\n'))
  const content = prompts.render('retry', { issues: why })
  const shown = reason === 'cut' ? '' : said.slice(0, shownAgain).toWellFormed()
  return [
    ...(shown === '' ? [] : [{ role: 'assistant' as const, content: shown }]),
    { role: 'user', content },
  ]
}

async function ask(
  requests: AgentRequests,
  prepared: PreparedRequest,
  context: RequestContext,
  options: ReturnType<typeof decisionOptions>,
  hooks: RequestHooks,
  signal: AbortSignal,
): Promise<{ answer: ModelAnswer; reading: DecisionReading }> {
  const answer = await requests.send(prepared, context, options, hooks, signal)
  signal.throwIfAborted()
  return { answer, reading: readDecision(answer.text, { isCut: answer.end === 'length' }) }
}

/** True where reasoning has used up the room of the decision. */
function isThoughtOnly({ answer, reading }: { answer: ModelAnswer; reading: DecisionReading }): boolean {
  return !reading.ok && reading.reason === 'cut' && answer.reasoning.trim() !== ''
}

/** Returns the tokens per character that this model counted for the prompt, times `margin`. */
function usualPerCharacter({ prompt }: PreparedRequest): number {
  const characters = prompt.parts.reduce((sum, { text }) => sum + text.length, 0)
  return (prompt.promptTokens / Math.max(1, characters)) * margin
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
