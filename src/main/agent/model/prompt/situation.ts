import type { AddedFolder } from '../../../../shared/domain/app/added-folder.ts'
import type { AgentState } from '../../../../shared/domain/session/agent-state.ts'
import { fillPlaces } from '../../../prompts/fill-places.ts'
import type { SituationWords } from '../../../prompts/prompt-words.ts'
import type { PromptEntry } from './prompt-entry.ts'

/**
 * The state of a session as the lines that the model is told.
 *
 * Shape: `lines` are told when they change; `once` stand only in a block that tells everything. A key's text
 * may have several lines.
 */
export type Situation = { lines: Record<string, string>; once: Record<string, string> }

/** How many of the decisions are sent. Source: `docs/decisions/sessions.md`, Tables. */
export const sentDecisions = 5

/** Earlier conversations of a session. Shape: `conversations`: how many have ended; `updatedAt`: of the last one. */
export type SessionLines = { sessionId: string; conversations: number; updatedAt: number }

/** How many entries of these lists are left out for want of room. */
export type LeftOut = Record<'contextRefs' | 'decisionLog' | 'openQuestions' | 'planBrief', number>

/** `folders`: where the session works besides its own; `session`: absent before its first conversation has ended. */
export function situationOf(
  state: AgentState,
  words: SituationWords,
  folders: readonly AddedFolder[] = [],
  session?: SessionLines,
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

/** The part of a situation that a model on the direct path does not know from its own calls. */
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
