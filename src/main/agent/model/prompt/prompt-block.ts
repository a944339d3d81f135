import type { AgentState } from '../../../../shared/domain/session/agent-state.ts'
import type { AgentStep } from '../../../../shared/domain/session/agent-step.ts'
import type { AgentPrompts } from '../../../prompts/agent-prompts.ts'
import type { ReplyKind } from '../../agent-events.ts'
import { decisionExample } from '../../decision/decision-format.ts'
import type { PromptEntry } from './prompt-entry.ts'
import type { Situation } from './situation.ts'

/** An instruction of a request. Shape: `again` replaces `full` where `key` was told before; null: say nothing. */
export type Wanted = { key: string; full: string; again: string | null }

/**
 * Returns the block that ends a request: what has changed in the situation since it was told, and the instructions.
 * Null where there is nothing to say.
 */
export function promptBlock(
  prompts: AgentPrompts,
  log: readonly PromptEntry[],
  turn: number,
  situation: Situation | null,
  wanted: readonly Wanted[],
): PromptEntry | null {
  const before: Record<string, string> = Object.assign({}, ...log.map((entry) => entry.told ?? {}))
  const isFirst = !('mode' in before)
  const lines = situation === null ? {} : { ...situation.lines, ...(isFirst ? situation.once : {}) }
  const changed = Object.entries(lines).filter(([key, line]) => before[key] !== line)
  const parts: string[] = []
  const told: Record<string, string> = Object.fromEntries(changed)
  if (changed.length > 0) {
    const text = changed.map(([, line]) => line).join('\n')
    parts.push(prompts.render(isFirst ? 'main' : 'main-changes', { situation: text }))
  }
  for (const { key, full, again } of wanted) {
    const isKnown = before[key] !== undefined
    if (!isKnown) told[key] = ''
    const text = isKnown ? again : full
    if (text !== null) parts.push(text)
  }
  if (parts.length === 0) return null
  return { turn, role: 'user', kind: 'block', text: parts.join('\n\n'), told }
}

const playbooks = {
  PLANNING: 'work-planning',
  EXECUTION: 'work-execution',
  REVIEW: 'work-review',
  // A session does not work while a gate is open; if it does, it carries out what was approved.
  AWAITING_APPROVAL: 'work-execution',
} as const satisfies Record<AgentStep, string>

export function wantedDecision(prompts: AgentPrompts): Wanted {
  return {
    key: 'ask:decision',
    full: prompts.render('decision', { example: decisionExample(prompts.decision) }),
    again: prompts.render('decision-again', {}),
  }
}

export function wantedReply(prompts: AgentPrompts, kind: ReplyKind, about: string): Wanted {
  const text =
    kind === 'plain'
      ? prompts.render('reply-plain', {})
      : prompts.render(kind === 'question' ? 'reply-question' : 'reply-defer', { about })
  return { key: `ask:reply-${kind}`, full: text, again: text }
}

/** Returns the step's playbook, which is not repeated while results come back, and how to write calls as text. */
export function wantedWork(
  prompts: AgentPrompts,
  step: AgentStep,
  log: readonly PromptEntry[],
  isNative: boolean,
): Wanted[] {
  const isGoingOn = log.at(-1)?.kind === 'result'
  const playbook: Wanted = {
    key: `ask:${playbooks[step]}`,
    full: prompts.render(playbooks[step], {}),
    again: isGoingOn ? null : prompts.render('work-again', { step }),
  }
  const calls: Wanted = {
    key: 'ask:calls',
    full: prompts.render('calls', {}),
    again: prompts.render('calls-again', {}),
  }
  return isNative ? [playbook] : [playbook, calls]
}

/** Returns what a block on the direct path asks for: only a due review, as the prompt's head says the rest. */
export function wantedDirect(prompts: AgentPrompts, { turn }: AgentState): Wanted[] {
  if (turn.reviewing !== 'due') return []
  const text = [prompts.render('work-review', {}), prompts.render('review-reply', {})].join('\n')
  return [{ key: 'ask:work-review', full: text, again: text }]
}

export function wantedBeside(prompts: AgentPrompts): Wanted {
  return {
    key: 'ask:beside',
    full: prompts.render('beside', {}),
    again: prompts.render('beside-again', {}),
  }
}
