import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
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

type Asked = { answer: ModelAnswer; reading: DecisionReading }

/**
 * Asks for the model's decision: constrained where the client can, else by the ladder; one retry with the validator's
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
  const ask = async (request: PreparedRequest, options = decisionOptions(request)): Promise<Asked> => {
    const answer = await requests.send(request, context, options, hooks, signal)
    signal.throwIfAborted()
    return { answer, reading: readDecision(answer.text, { isCut: answer.end === 'length' }) }
  }
  let prepared = await prepareDecision(requests, prompts, await requests.active(signal), context, signal)
  let first = await ask(prepared)
  if (isThoughtOnly(first) && prepared.thinkingTokens === 0) {
    // The reasoning left no room for the answer: ask again with room for both.
    prepared = requests.withThinking(prepared)
    first = await ask(prepared)
  }
  if (first.reading.ok) return outcomeOf(prepared, context, first.answer, first.reading, null)
  const more = complaint(prompts, first.answer.text, first.reading)
  const again = await requests.withMore(prepared, more, signal)
  const second = await ask(again, decisionOptions(again, worstPerCharacter))
  if (second.reading.ok)
    return outcomeOf(prepared, context, second.answer, second.reading, first.answer.usage)
  throw new AppError({ code: 'model/bad-decision', reason: second.reading.reason })
}

export function prepareDecision(
  requests: AgentRequests,
  prompts: AgentPrompts,
  active: ActiveModel,
  context: RequestContext,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  const wanted = () => [wantedDecision(prompts)]
  return requests.prepare({ active, context, purpose: 'decision', hasSituation: true, wanted, signal })
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

/** True where reasoning has used up the room of the decision. */
function isThoughtOnly({ answer, reading }: Asked): boolean {
  return !reading.ok && reading.reason === 'cut' && answer.reasoning.trim() !== ''
}

/** Returns the tokens per character that this model counted for the prompt, times `margin`. */
function usualPerCharacter({ prompt }: PreparedRequest): number {
  const characters = prompt.parts.reduce((sum, { text }) => sum + text.length, 0)
  return (prompt.promptTokens / Math.max(1, characters)) * margin
}

/** Returns the decision with its entries for the log, as it was written; a failed first try is not kept. */
function outcomeOf(
  { active, entries }: PreparedRequest,
  { turn }: RequestContext,
  answer: ModelAnswer,
  { decision, isRepaired, clipped }: Extract<DecisionReading, { ok: true }>,
  before: ModelUsage | null,
): DecisionOutcome {
  const written = isRepaired ? undefined : firstObject(withoutThinking(answer.text))
  const text = written ?? JSON.stringify(decision)
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

function bothUsages(first: ModelUsage | null, second: ModelUsage | null): ModelUsage | null {
  if (first === null || second === null) return second
  return {
    ...second,
    completionTokens: first.completionTokens + second.completionTokens,
    msTotal: first.msTotal + second.msTotal,
  }
}
