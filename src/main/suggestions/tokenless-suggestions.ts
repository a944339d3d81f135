import { z } from 'zod'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type { SuggestionSource } from '../../shared/domain/session/suggestion.ts'
import { createOptionFinder, OptionCues, withoutFences } from './offered-option.ts'
import { openTodo } from './open-todo.ts'

/** Cues by which a next step is recognised. Source: `resources/words/suggestion-cues.json`. */
export const SuggestionCues = z.object({
  tips: z.array(z.string()).min(1),
  options: OptionCues,
  tests: z.string().min(1),
  /** A line in a test run's own summary that tells of failures. */
  failures: z.string().min(1),
  failedTest: z.object({ ja: z.string().min(1), en: z.string().min(1) }),
})
export type SuggestionCues = z.infer<typeof SuggestionCues>

export type TokenlessInput = {
  reply: string
  /** The recent part of the conversation, oldest first; `turn` is the one that has ended. */
  items: readonly SessionItem[]
  turn: number
  todos: readonly { text: string; isDone: boolean }[]
  language: 'ja' | 'en'
}

export type Tokenless = { text: string; source: Exclude<SuggestionSource, 'model'> }

/** Last lines of a reply that are searched for tips. Units: lines that are not empty. */
const lastLines = 6

/**
 * Returns what can be suggested without asking the model, best first: a tip, an offered option, what a failed test
 * calls for, the next todo.
 *
 * Source: `docs/decisions/suggestions.md`, "Suggestions without tokens".
 */
export function createTokenlessSuggestions(cues: SuggestionCues): (input: TokenlessInput) => Tokenless[] {
  const tips = cues.tips.map((source) => new RegExp(source, 'imu'))
  const tests = new RegExp(cues.tests, 'u')
  const failures = new RegExp(cues.failures, 'mu')
  const optionIn = createOptionFinder(cues.options)

  return ({ reply, items, turn, todos, language }) => {
    const lines = withoutFences(reply)
      .split('\n')
      .filter((line) => line.trim() !== '')
    const ofTurn = items.filter((item) => item.turn === turn)
    const found: (Tokenless | null)[] = [
      suggestion('tip', tipIn(lines.slice(-lastLines).join('\n'), tips)),
      suggestion('option', optionIn(reply)),
      suggestion(
        'failed_test',
        hasFailedTest(ofTurn, tests, failures) ? cues.failedTest[language] : undefined,
      ),
      suggestion('todo', openTodo(todos, items)),
    ]
    return found.filter((one) => one !== null)
  }
}

function suggestion(source: Tokenless['source'], text: string | undefined): Tokenless | null {
  const trimmed = text?.trim() ?? ''
  return trimmed === '' ? null : { text: trimmed, source }
}

function tipIn(text: string, tips: readonly RegExp[]): string | undefined {
  for (const tip of tips) {
    const found = tip
      .exec(text)
      ?.slice(1)
      .find((group) => group !== undefined)
    if (found !== undefined) return found
  }
  return undefined
}

/** True where the turn's last test command ended with an error, and its own summary tells of failures. */
function hasFailedTest(items: readonly SessionItem[], tests: RegExp, failures: RegExp): boolean {
  const last = items.findLast(
    (item) => item.kind === 'call' && item.view?.kind === 'command' && tests.test(item.view.line),
  )
  if (last?.kind !== 'call' || last.view?.kind !== 'command') return false
  return last.view.end === 'exited' && last.view.exitCode !== 0 && failures.test(last.text)
}
