import type { AgentPrompts } from '../../../prompts/agent-prompts.ts'
import type { PromptEntry } from './prompt-entry.ts'
import type { Situation } from './situation.ts'

/** An instruction of a request. Shape: `again` replaces `full` where `key` was told before; null: say nothing. */
export type Wanted = { key: string; full: string; again: string | null }

/** Returns what the log's blocks have told so far, by key. */
function toldIn(log: readonly PromptEntry[]): Record<string, string> {
  return Object.assign({}, ...log.map((entry) => entry.told ?? {}))
}

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
  const before = toldIn(log)
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
