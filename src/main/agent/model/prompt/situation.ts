import type { AddedFolder } from '../../../../shared/domain/app/added-folder.ts'
import type { LayerTokens } from '../../../../shared/domain/app/app-settings.ts'
import type { AgentState } from '../../../../shared/domain/session/agent-state.ts'
import type { ContextMeter } from '../../../../shared/domain/session/session.ts'
import type { AgentPrompts, SituationWords } from '../../../prompts/agent-prompts.ts'
import { fillPlaces } from '../../../prompts/fill-places.ts'
import { estimateTextTokens } from '../../../tokens/token-estimate.ts'
import type { Wanted } from './prompt-block.ts'
import type { PromptEntry } from './prompt-entry.ts'

/**
 * The state of a session as the lines that the model is told.
 *
 * Shape: `lines` are told when they change; `once` stand only in a block that tells everything. A key's text
 * may have several lines.
 */
export type Situation = { lines: Record<string, string>; once: Record<string, string> }

/** How many of the decisions are sent. Source: `docs/decisions/sessions.md`, Tables. */
const sentDecisions = 5

/** Earlier conversations of a session. Shape: `conversations`: how many have ended; `updatedAt`: of the last one. */
type SessionLines = { sessionId: string; conversations: number; updatedAt: number }

/** Lists that are cut for want of room, in this order. */
const cutLists = ['contextRefs', 'decisionLog', 'openQuestions', 'planBrief'] as const

/** How many entries of these lists are left out for want of room. */
export type LeftOut = Record<(typeof cutLists)[number], number>

/** `folders`: where the session works besides its own; `session`: absent before its first conversation has ended. */
type SituationInput = {
  state: AgentState
  words: SituationWords
  folders?: readonly AddedFolder[] | undefined
  session?: SessionLines | undefined
}

export function situationOf(
  { state, words, folders = [], session }: SituationInput,
  left?: LeftOut,
): Situation {
  const { course, memory, plan } = state
  const pin = (item: (typeof state.pinned)[number]) => (state.pinned.includes(item) ? words.pinned : '')
  const line = (name: string, value: string) => `${name}: ${value === '' ? words.none : value}`
  const list = (name: string, values: readonly string[]) =>
    values.length === 0 ? line(name, '') : [`${name}:`, ...values.map((value) => `- ${value}`)].join('\n')
  /** Lists the entries that have room (`kept`) and says how many are left out. */
  const fitted = (item: keyof LeftOut, name: string, kept: readonly string[]) => {
    const count = left?.[item] ?? 0
    if (count === 0) return list(name, kept)
    const note = fillPlaces(words.leftOut, { count })
    return kept.length === 0 ? line(name, note) : `${list(name, kept)}\n${note}`
  }
  const first = (item: 'openQuestions' | 'planBrief') =>
    fitted(item, words[item] + pin(item), course[item].slice(0, course[item].length - (left?.[item] ?? 0)))
  const last = (item: 'decisionLog' | 'contextRefs', values: readonly string[]) =>
    fitted(item, words[item], values.slice(left?.[item] ?? 0))
  const referred = state.contextRefs.map((reference) =>
    reference.startsWith('plan:') && reference !== `plan:${plan?.title}`
      ? `${reference} ${words.formerPlan}`
      : reference,
  )
  const task = plan?.todos.find((todo) => !todo.isDone)?.text ?? ''
  return {
    lines: {
      step: line(words.step, state.step),
      status: line(words.status, state.status),
      mode: line(words.mode, words.modes[state.mode]),
      task: line(words.task, task),
      goal: line(words.goal + pin('goal'), course.goal),
      whyNow: line(words.whyNow + pin('whyNow'), course.whyNow),
      constraints: list(words.constraints + pin('constraints'), course.constraints),
      planBrief: first('planBrief'),
      openQuestions: first('openQuestions'),
      ...(memory.learnedPatterns.length > 0
        ? { learnedPatterns: list(words.learnedPatterns, memory.learnedPatterns) }
        : {}),
      ...(folders.length > 0
        ? {
            folders: list(
              words.folders,
              folders.map(({ path }) => path),
            ),
          }
        : {}),
    },
    once: {
      ...(state.lastDelta === '' ? {} : { lastDelta: line(words.lastDelta, state.lastDelta) }),
      ...(state.decisionLog.length === 0
        ? {}
        : { decisionLog: last('decisionLog', state.decisionLog.slice(-sentDecisions)) }),
      ...(state.contextRefs.length === 0 ? {} : { contextRefs: last('contextRefs', referred) }),
      ...(session === undefined ? {} : { session: sessionLine(session, words) }),
      ...(memory.operationsSucceeded === 0
        ? {}
        : {
            memory: fillPlaces(words.memory, {
              files: memory.filesWritten,
              operations: memory.operationsSucceeded,
            }),
          }),
    },
  }
}

function sessionLine({ sessionId, conversations, updatedAt }: SessionLines, words: SituationWords): string {
  const updated = `${new Date(updatedAt).toISOString().slice(0, 16)}Z`
  return fillPlaces(words.session, { id: sessionId, conversations, updated })
}

/** Lines that are told as soon as they change; the others are told with the user's next message. */
const urgentLines = ['mode', 'constraints', 'learnedPatterns', 'folders']
/** Lines left out on the direct path: the host derives them from calls that the model made itself. */
const ownLines = ['step', 'status', 'task']

/** Returns the part of a situation that a model on the direct path does not know from its own calls. */
export function directSituation(
  { lines, once }: Situation,
  log: readonly PromptEntry[],
  words: SituationWords,
): Situation {
  const told = new Set(log.flatMap((entry) => Object.keys(entry.told ?? {})))
  const isAfterMessage =
    log.findLast(({ role, kind }) => role === 'assistant' || kind === 'message')?.kind === 'message'
  const kept = Object.entries(lines).filter(([key, line]) => {
    if (ownLines.includes(key)) return false
    if (!isAfterMessage && !urgentLines.includes(key)) return false
    return told.has(key) || !line.endsWith(`: ${words.none}`)
  })
  return { lines: Object.fromEntries(kept), once }
}

/** Context window that the figures of the budgets are meant for. Units: tokens. */
const usualWindowTokens = 8_192
/** Lines of the situation that belong to the first layer: what is known for longer than a session. */
const baseLines = ['learnedPatterns', 'session', 'memory']

/** Returns the budgets for a context window; an unknown window gets the figures as they are. Units: tokens. */
export function layerBudgets(figures: LayerTokens, contextTokens: number | null): LayerTokens {
  const scale = (contextTokens ?? usualWindowTokens) / usualWindowTokens
  const scaled = (tokens: number) => Math.max(1, Math.floor(tokens * scale))
  return { base: scaled(figures.base), main: scaled(figures.main), specialised: scaled(figures.specialised) }
}

/**
 * Returns the situation within the budget of its layer. Cuts references first, then decisions (both oldest first),
 * then the last open questions, then the plan but for its next step. The lists say how much is missing.
 *
 * Never cut: goal, why now, constraints. Counted by estimate, so that the same state always gives the same lines.
 * Source: *Duckflow prompt system* 11.1; `docs/decisions/sessions.md`, point 21.
 */
export function fittedSituation(
  about: SituationInput,
  budgetTokens: number,
): { situation: Situation; left: LeftOut } {
  const { course, contextRefs, decisionLog } = about.state
  const most: LeftOut = {
    contextRefs: contextRefs.length,
    decisionLog: Math.min(sentDecisions, decisionLog.length),
    openQuestions: course.openQuestions.length,
    planBrief: Math.max(0, course.planBrief.length - 1),
  }
  let left: LeftOut = { contextRefs: 0, decisionLog: 0, openQuestions: 0, planBrief: 0 }
  let situation = situationOf(about, left)
  for (const item of cutLists)
    while (left[item] < most[item] && estimateTextTokens(mainText(situation)) > budgetTokens) {
      left = { ...left, [item]: left[item] + 1 }
      situation = situationOf(about, left)
    }
  return { situation, left }
}

/**
 * Returns how much of its budget each layer uses, by estimate: the base text with what is known for longer than a
 * session, the situation as it would be told whole now, and the procedures with the form of the answer.
 */
export function layersOf(
  prompts: AgentPrompts,
  { situation, left }: { situation: Situation; left: LeftOut },
  wanted: readonly Wanted[],
  isDirect: boolean,
  budgets: LayerTokens,
): ContextMeter['layers'] {
  const known = linesOf(situation).flatMap(([key, line]) => (baseLines.includes(key) ? line : []))
  const procedures = [prompts.render('policy', {}), ...wanted.map(({ full }) => full)]
  if (isDirect) procedures.push(prompts.render('direct', {}))
  const texts = {
    base: [prompts.render('base', {}), ...known].join('\n'),
    main: mainText(situation),
    specialised: procedures.join('\n'),
  }
  const missing = cutLists.flatMap((item) => (left[item] === 0 ? [] : [{ item, count: left[item] }]))
  return (['base', 'main', 'specialised'] as const).map((layer) => ({
    layer,
    usedTokens: estimateTextTokens(texts[layer]),
    budgetTokens: budgets[layer],
    leftOut: layer === 'main' ? missing : [],
  }))
}

function linesOf({ lines, once }: Situation): [string, string][] {
  return Object.entries({ ...lines, ...once })
}

function mainText(situation: Situation): string {
  return linesOf(situation)
    .flatMap(([key, line]) => (baseLines.includes(key) ? [] : line))
    .join('\n')
}
