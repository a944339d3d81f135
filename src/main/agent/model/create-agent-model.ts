import type { AgentStep } from '../../../shared/domain/session/agent-step.ts'
import { ToolName, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import type { Priority } from '../../models/client/model-client.ts'
import { estimateTextTokens } from '../../tokens/token-estimate.ts'
import type { RawCall } from '../../tools/prepared-call.ts'
import type { ReplyOutcome, RequestContext, RequestHooks, SessionModel, WorkOutcome } from './agent-model.ts'
import {
  type AgentModelDeps,
  AgentRequests,
  type PreparedRequest,
  type RequestInput,
} from './agent-request.ts'
import { constraintFor } from './answer-grammar.ts'
import { makeSuggestion, preRead, StandaloneWindow } from './background-requests.ts'
import { makeDecision } from './make-decision.ts'
import { answerEnds, type ModelAnswer } from './model-answer.ts'
import { compactLog } from './prompt/compact-log.ts'
import { wantedBeside, wantedDirect, wantedReply, wantedWork } from './prompt/prompt-block.ts'
import type { PromptEntry } from './prompt/prompt-entry.ts'
import { renderLog } from './prompt/prompt-messages.ts'
import { PromptRecord } from './prompt/prompt-record.ts'
import { answerRoom, countPrompt } from './prompt/prompt-room.ts'
import { nativeCalls, readCalls, type WrittenCall } from './written-calls.ts'

/** Mistral's templates take ids of nine letters or digits, and no others. */
const callIdLength = 9
/** A prompt that fills more than this share of the context window is compacted before the next message. */
const compactionShare = 0.8
/** How much longer a compacted prompt must be to be compacted again. */
const regrown = 1.1

/**
 * The model of one session's work: each request extends the same prompt, whatever it is for.
 *
 * Shape: `log` of a context is read, never written; what a request adds to it is its outcome's `entries`.
 */
export function createAgentModel(deps: AgentModelDeps): SessionModel {
  const record = new PromptRecord()
  return sessionModel(deps, record, new AgentRequests(deps, record))
}

/** The requests of each model that was made here; `adopt` accepts no other model. */
const requestsOf = new WeakMap<SessionModel, AgentRequests>()
const ofOtherModels = new WeakSet<AgentRequests>()

function sessionModel(deps: AgentModelDeps, record: PromptRecord, requests: AgentRequests): SessionModel {
  const lastEntries = new StandaloneWindow()
  /** Size of a session's prompt after its last compaction, by session. Units: tokens. */
  const leftBehind = new Map<string, number>()

  /** Gives calls ids that do not occur in this log. */
  function numbered(calls: readonly WrittenCall[], log: readonly PromptEntry[]): WorkOutcome['calls'] {
    const usedIds = new Set(log.flatMap((entry) => entry.calls ?? []).map(({ callId }) => callId))
    return calls.map((call) => {
      let callId = deps.random.id().slice(0, callIdLength)
      while (usedIds.has(callId)) callId = deps.random.id().slice(0, callIdLength)
      usedIds.add(callId)
      return { callId, ...call }
    })
  }

  const model: SessionModel = {
    isDirect: async (context, signal) => requests.isDirect(await requests.active(signal), context),

    decide: (context, hooks, signal) =>
      makeDecision(requests, deps.prompts[context.language], context, hooks, signal),

    reply(context, { kind, about }, hooks, signal) {
      const wanted = () => [wantedReply(deps.prompts[context.language], kind, about)]
      return prose({ context, purpose: 'reply', hasSituation: true, wanted, signal }, hooks)
    },

    async work(context, step, hooks, signal) {
      const { language, log, turn } = context
      const active = await requests.active(signal)
      const prepared = await requests.prepare({
        active,
        context,
        purpose: 'work',
        hasSituation: true,
        wanted: (isNative, isDirect) =>
          isDirect
            ? wantedDirect(deps.prompts[language], context.state)
            : wantedWork(deps.prompts[language], step, log, isNative),
        signal,
      })
      const { isNative, isDirect } = prepared
      const constraint = isNative
        ? undefined
        : constraintFor(active.client, await deps.toolbox.callSchema({ tools: toolsOf(step) }))
      const isProse = isNative
      const answer = await requests.send(
        prepared,
        context,
        { constraint, isProse, canCall: true },
        hooks,
        signal,
      )
      const end = answerEnds[answer.end]
      // A reply that was cut is still the reply.
      const isCutReply = isDirect && end === 'cut' && answer.calls.length === 0 && answer.text.trim() !== ''
      const written = isNative
        ? nativeCalls(answer.calls, end === 'cut' && !isCutReply)
        : readCalls(answer.text, end === 'cut')
      // A stopped answer may not say what the model meant: its calls are dropped.
      const kept = end === 'stopped' ? null : written
      const calls = numbered(kept ?? [], log)
      const text = isNative || (written === null && end !== 'stopped') ? answer.text : ''
      const entry: PromptEntry = {
        turn,
        role: 'assistant',
        kind: 'work',
        text,
        ...(calls.length > 0 || (!isNative && kept !== null) ? { calls: calls.map(asWritten) } : {}),
        ...(isNative && calls.length > 0 ? thoughtOf(answer, active.modelName) : {}),
      }
      const isSilent = text === '' && entry.calls === undefined
      const why = deps.prompts[language].outcomes.unreadable.cut
      const cut: PromptEntry[] =
        end === 'cut' && !isCutReply ? [{ turn, role: 'user', kind: 'note', text: why }] : []
      return {
        ...common(prepared, answer),
        entries: [...prepared.entries, ...(isSilent ? [] : [entry]), ...cut],
        text,
        calls,
        end,
        isDirect,
      }
    },

    beside(context, opening, hooks, signal) {
      const wanted = () => [wantedBeside(deps.prompts[context.language])]
      return prose({ context, purpose: 'beside', opening, hasSituation: false, wanted, signal }, hooks)
    },

    async compact(context, hooks, signal) {
      const result = await compactLog(requests, deps, context, hooks, signal)
      requests.forget(context.sessionId)
      lastEntries.forget(context.sessionId)
      leftBehind.set(context.sessionId, result.tokensAfter)
      return result
    },

    suggest: (context, ask, signal) =>
      makeSuggestion(requests, { prompts: deps.prompts, window: lastEntries }, context, ask, signal),

    async preRead(context, signal) {
      if (await needsCompaction(context, signal, 'background')) return null
      return preRead(requests, deps.prompts[context.language], context, signal)
    },

    needsCompaction: (context, signal) => needsCompaction(context, signal, 'foreground'),

    fork(sessionId, { toolbox, readLines, requests: fork, role = 'main' }) {
      const ownRecord = new PromptRecord()
      const activeModel: AgentModelDeps['activeModel'] = (signal, wanted) =>
        deps.activeModel(signal, wanted === 'main' ? role : wanted, 'background')
      const own = { ...deps, toolbox, readLines, activeModel }
      const ownRequests = new AgentRequests(own, ownRecord, fork)
      // Another model has read nothing of the conversation.
      if (role === 'main') ownRequests.take(requests, sessionId)
      else ofOtherModels.add(ownRequests)
      requests.noteSuggestion(sessionId)
      return sessionModel(own, ownRecord, ownRequests)
    },
    adopt(sessionId, fork) {
      const forkRequests = requestsOf.get(fork)
      if (forkRequests !== undefined && !ofOtherModels.has(forkRequests))
        requests.take(forkRequests, sessionId)
    },
  }
  requestsOf.set(model, requests)
  return model

  /** Asks for a text for the user. */
  async function prose(input: Omit<RequestInput, 'active'>, hooks: RequestHooks): Promise<ReplyOutcome> {
    const { context, signal } = input
    const prepared = await requests.prepare({ ...input, active: await requests.active(signal) })
    const answer = await requests.send(prepared, context, { isProse: true, canCall: false }, hooks, signal)
    const { turn } = context
    const isEmpty = answer.text.trim() === ''
    const entry: PromptEntry = { turn, role: 'assistant', kind: 'reply', text: answer.text }
    return {
      ...common(prepared, answer),
      entries: isEmpty ? prepared.entries : [...prepared.entries, entry],
      text: answer.text,
      end: answerEnds[answer.end],
    }
  }

  async function needsCompaction(
    context: RequestContext,
    signal: AbortSignal,
    priority: Priority,
  ): Promise<boolean> {
    const { client, modelName, ...active } = await requests.active(signal, 'main', priority)
    const window = await client.contextWindow(signal)
    if (window === null) return false
    const limit = window.tokens * compactionShare
    const last = record.lastTokens(context.sessionId)
    const rendering = requests.rendering({ client, modelName, ...active }, context)
    const rendered = renderLog(context.log, rendering)
    const calibration = record.calibration(modelName)
    const estimate = estimateTextTokens(rendered.parts.map(({ text }) => text).join('\n')) * calibration
    // Far below the limit by both figures: skip the exact count.
    if (last !== undefined && Math.max(last, estimate) < limit / 2) return false
    const { tokens } = await countPrompt(client, rendered, calibration, signal)
    // Right after a compaction, another would find nothing to shorten.
    if (tokens < (leftBehind.get(context.sessionId) ?? 0) * regrown) return false
    return tokens > limit || tokens + answerRoom('work', window.tokens).least > window.tokens
  }
}

/** Returns what a model thought before its calls, where the API has a field to send it back in. */
function thoughtOf(
  { reasoning: text, reasoningField: field }: ModelAnswer,
  modelName: string,
): Pick<PromptEntry, 'thought'> {
  return field === undefined || text.trim() === '' ? {} : { thought: { text, field, modelName } }
}

function asWritten({ callId, name, args }: RawCall) {
  return { callId, name, args }
}

function common({ active }: PreparedRequest, answer: ModelAnswer) {
  const { usage, reasoning } = answer
  return { usage, reasoning, modelName: active.modelName, isDemo: active.isDemo }
}

/**
 * Returns the tools that a step may use, for the grammar. The list in the prompt is always the same; the host also
 * refuses calls that a step may not make.
 */
function toolsOf(step: AgentStep): ToolName[] {
  return ToolName.options.filter((name) => toolTraits[name].steps?.includes(step) ?? true)
}
