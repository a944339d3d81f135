import {
  type AgentCourse,
  type CourseEdit,
  CourseItem,
  courseLimits,
  emptyCourse,
} from '../../shared/domain/session/agent-course.ts'
import type { StateDelta } from '../../shared/domain/session/agent-decision.ts'
import type { AgentNotice } from '../../shared/domain/session/agent-notice.ts'
import type { AgentPlan } from '../../shared/domain/session/agent-plan.ts'
import {
  type AgentMemory,
  type AgentState,
  type Correction,
  correctionsUntilProposal,
} from '../../shared/domain/session/agent-state.ts'
import { clipLine } from '../../shared/text/clip-line.ts'

/** The parts of a state that the course's changes touch. */
export type CourseChange = Pick<AgentState, 'course' | 'pinned' | 'lastDelta' | 'plan' | 'memory'> & {
  notices: AgentNotice[]
}

const deltaKeys = {
  goal: 'goal',
  whyNow: 'why_now',
  constraints: 'constraints',
  planBrief: 'plan_brief',
  openQuestions: 'open_questions',
} as const satisfies Record<CourseItem, keyof StateDelta>

/**
 * Applies a decision's `state_delta` to the course, within the limits. A change to a pinned item becomes a proposal
 * to the user. The goal of a new task clears the plan and the open questions; a reworded goal clears nothing.
 *
 * Source: `docs/decisions/sessions.md`, points 3 and 6, Tables.
 */
export function applyStateDelta(state: AgentState, delta: StateDelta | null, isNewTask = true): CourseChange {
  const change = unchanged(state)
  if (delta === null) return change
  if (delta.summary !== '') {
    change.lastDelta = clipLine(delta.summary, courseLimits.lastDelta.characters)
    if (change.lastDelta !== delta.summary) change.notices.push({ kind: 'clipped', item: 'lastDelta' })
  }
  for (const item of CourseItem.options) {
    const value = delta[deltaKeys[item]]
    if (value === null) continue
    const limited = withinLimits(item, value)
    if (isEqual(limited.value, change.course[item])) continue
    if (state.pinned.includes(item)) {
      change.notices.push({ kind: 'course-proposed', item, value: limited.value })
      continue
    }
    if (limited.isClipped) change.notices.push({ kind: 'clipped', item })
    if (item === 'goal' && isNewTask && isOtherGoal(limited.value, change.course.goal))
      clearForNewGoal(change)
    change.course = { ...change.course, [item]: limited.value }
  }
  return change
}

export function editCourse(state: AgentState, edit: CourseEdit): CourseChange {
  const change = unchanged(state)
  if (edit.kind === 'learn' || edit.kind === 'forget' || edit.kind === 'decline') {
    change.memory = taughtMemory(state.memory, edit.kind, edit.pattern)
    return change
  }
  const others = state.pinned.filter((item) => item !== edit.item)
  change.pinned = edit.kind === 'unpin' ? others : [...others, edit.item]
  if (edit.kind !== 'write') return change
  const limited = withinLimits(edit.item, edit.value)
  if (limited.isClipped) change.notices.push({ kind: 'clipped', item: edit.item })
  if (edit.item === 'goal' && isOtherGoal(limited.value, change.course.goal)) clearForNewGoal(change)
  change.course = { ...change.course, [edit.item]: limited.value }
  return change
}

/** Removes open questions that the message quotes: it answers them. */
export function settleQuestions(state: AgentState, message: string): CourseChange {
  const open = state.course.openQuestions.filter((question) => !message.includes(question))
  return { ...unchanged(state), course: { ...state.course, openQuestions: open } }
}

/** Returns a delta within the limits of the course, as a decision record holds it. */
export function limitedDelta(delta: StateDelta): StateDelta {
  const limited: StateDelta = { ...delta }
  if (delta.goal !== null) limited.goal = clipLine(delta.goal, courseLimits.goal.characters)
  if (delta.why_now !== null) limited.why_now = clipLine(delta.why_now, courseLimits.whyNow.characters)
  for (const item of ['constraints', 'planBrief', 'openQuestions'] as const) {
    const lines = delta[deltaKeys[item]]
    if (lines !== null) limited[deltaKeys[item]] = linesWithin(lines, courseLimits[item]).lines
  }
  return limited
}

/** Returns `plan_brief`: the plan's first three open items, unless the user wrote it. */
export function planBriefOf(plan: AgentPlan | null, state: Pick<AgentState, 'course' | 'pinned'>): string[] {
  if (state.pinned.includes('planBrief')) return state.course.planBrief
  const open = (plan?.todos ?? []).filter((todo) => !todo.isDone).map((todo) => todo.text)
  return linesWithin(open, courseLimits.planBrief).lines
}

function isOtherGoal(goal: string | string[], before: string): boolean {
  return textKey([goal].flat().join(' ')) !== textKey(before)
}

/** Clears plan and open questions. The goal is a delta's first item: its plan and questions are set after this. */
function clearForNewGoal(change: CourseChange): void {
  const isPinned = (item: CourseItem) => change.pinned.includes(item)
  change.plan = null
  change.course = {
    ...change.course,
    planBrief: isPinned('planBrief') ? change.course.planBrief : emptyCourse.planBrief,
    openQuestions: isPinned('openQuestions') ? change.course.openQuestions : emptyCourse.openQuestions,
  }
}

function unchanged(state: AgentState): CourseChange {
  const { course, pinned, lastDelta, plan, memory } = state
  return { course, pinned, lastDelta, plan, memory, notices: [] }
}

function withinLimits(item: CourseItem, value: AgentCourse[CourseItem]) {
  if (item === 'goal' || item === 'whyNow') {
    const text = Array.isArray(value) ? value.join(' ') : value
    const line = clipLine(text, courseLimits[item].characters)
    return { value: line, isClipped: line !== text }
  }
  const { lines, isClipped } = linesWithin([value].flat(), courseLimits[item])
  return { value: lines, isClipped }
}

function linesWithin(texts: string[], limits: { items: number; characters: number }) {
  const filled = texts.filter((text) => text.trim() !== '')
  const lines = filled.slice(0, limits.items).map((text) => clipLine(text, limits.characters))
  return { lines, isClipped: filled.length > lines.length || lines.some((line, i) => line !== filled[i]) }
}

function isEqual(a: string | string[], b: string | string[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/**
 * Counts a correction of the user's. Two are the same where they differ in width, case, punctuation and spaces alone.
 *
 * Shape: `proposed` is the pattern that the host shall propose now, or null. A correction that is remembered already,
 * or was declined, is not counted.
 */
export function noteCorrection(
  memory: AgentMemory,
  correction: string,
): { memory: AgentMemory; proposed: string | null } {
  const text = clipLine(correction, courseLimits.corrections.characters)
  const known = memory.corrections.find((one) => isSame(one.text, text))
  const isSettled = known?.isDeclined === true || known?.times === correctionsUntilProposal
  if (text === '' || isSettled || memory.learnedPatterns.some((pattern) => isSame(pattern, text)))
    return { memory, proposed: null }
  const noted = { text, times: (known?.times ?? 0) + 1, isDeclined: false }
  return {
    memory: { ...memory, corrections: withCorrection(memory.corrections, noted) },
    proposed: noted.times === correctionsUntilProposal ? text : null,
  }
}

/** Applies the user's answer about a pattern: `learn` remembers it; the other two forget it and stop its proposal. */
function taughtMemory(
  memory: AgentMemory,
  kind: 'learn' | 'forget' | 'decline',
  pattern: string,
): AgentMemory {
  const { learnedPatterns, corrections } = memory
  if (kind === 'learn')
    return {
      ...memory,
      learnedPatterns: withLine(learnedPatterns, pattern, courseLimits.learnedPatterns),
      corrections: corrections.filter(({ text }) => !isSame(text, pattern)),
    }
  const text = clipLine(pattern, courseLimits.corrections.characters)
  return {
    ...memory,
    learnedPatterns: learnedPatterns.filter((known) => known !== pattern),
    corrections: withCorrection(corrections, { text, times: 0, isDeclined: true }),
  }
}

/** Returns the patterns that wait for the user's answer. */
export function proposedPatterns({ corrections, learnedPatterns }: AgentMemory): string[] {
  return corrections.flatMap(({ text, times, isDeclined }) =>
    isDeclined || times < correctionsUntilProposal || learnedPatterns.includes(text) ? [] : text,
  )
}

/** Returns the corrections of a project after one of its sessions has changed its own from `before` to `now`. */
export function mergedCorrections(
  stored: readonly Correction[],
  before: readonly Correction[],
  now: readonly Correction[],
): Correction[] {
  const among = (list: readonly Correction[], { text }: Correction) =>
    list.find((one) => isSame(one.text, text))
  const gone = before.filter((one) => among(now, one) === undefined)
  let merged = stored.filter((one) => among(gone, one) === undefined)
  for (const one of now) {
    const [first, there] = [among(before, one), among(merged, one)]
    const more = one.times - (first?.times ?? 0)
    const isDecided = one.isDeclined !== (first?.isDeclined ?? false)
    if (there !== undefined && more <= 0 && !isDecided) continue
    const times = Math.min(correctionsUntilProposal, Math.max(0, (there?.times ?? 0) + more))
    merged = withCorrection(merged, {
      ...one,
      times,
      isDeclined: one.isDeclined || there?.isDeclined === true,
    })
  }
  return merged
}

/** Adds a correction at the end. Above the limit, drops the oldest that was not declined, else the oldest. */
function withCorrection(corrections: readonly Correction[], added: Correction): Correction[] {
  const all = [...corrections.filter(({ text }) => !isSame(text, added.text)), added]
  if (all.length <= courseLimits.corrections.items) return all
  const oldest = all.findIndex(({ isDeclined }) => !isDeclined)
  return all.toSpliced(Math.max(0, oldest), 1)
}

function isSame(a: string, b: string): boolean {
  const key = textKey(a)
  return key === '' ? a === b : key === textKey(b)
}

/** Returns a list with one more line at its end; above the limit, the oldest lines are dropped. */
export function withLine(
  lines: readonly string[],
  line: string,
  limits: { items: number; characters: number },
): string[] {
  const clipped = clipLine(line, limits.characters)
  if (clipped === '' || lines.at(-1) === clipped) return [...lines]
  return [...lines.filter((other) => other !== clipped), clipped].slice(-limits.items)
}

/** Returns a key that ignores width, case, punctuation and spaces of a text; empty where it has nothing else. */
function textKey(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}\s]+/gu, '')
}
