import { courseLimits } from '../../shared/domain/session/agent-course.ts'
import {
  type AgentMemory,
  type Correction,
  correctionsUntilProposal,
} from '../../shared/domain/session/agent-state.ts'
import { clipLine } from '../../shared/text/clip-line.ts'
import { textKey } from '../../shared/text/text-key.ts'
import { withLine } from './with-line.ts'

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
export function taughtMemory(
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
