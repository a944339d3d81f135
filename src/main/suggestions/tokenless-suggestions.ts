import { z } from 'zod'
import type { SessionItem } from '../../shared/domain/session-item.ts'
import type { SuggestionSource } from '../../shared/domain/suggestion.ts'

/** By what a next step is recognised. Source: `resources/words/suggestion-cues.json`. */
export const SuggestionCues = z.object({
  tips: z.array(z.string()).min(1),
  tests: z.string().min(1),
  failedTest: z.object({ ja: z.string().min(1), en: z.string().min(1) }),
})
export type SuggestionCues = z.infer<typeof SuggestionCues>

export type TokenlessInput = {
  reply: string
  /** Of the turn, oldest first. */
  items: readonly SessionItem[]
  todos: readonly { text: string; isDone: boolean }[]
  language: 'ja' | 'en'
}

export type Tokenless = { text: string; source: Exclude<SuggestionSource, 'model'> }

/** Hints stand at the end. Units: lines that are not empty. */
const lastLines = 6
const listLine = /^\s*(?:[-*+・•]|\(?[0-9A-Za-z０-９]{1,2}[.)．）:：])\s*(\S.*)$/u
const asks = /[?？]/u

/**
 * What can be suggested without asking the model, best first: a tip, an offered option, what a failed test calls
 * for, the next todo.
 */
export function createTokenlessSuggestions(cues: SuggestionCues): (input: TokenlessInput) => Tokenless[] {
  const tips = cues.tips.map((source) => new RegExp(source, 'imu'))
  const tests = new RegExp(cues.tests, 'u')

  return ({ reply, items, todos, language }) => {
    const lines = reply.split('\n').filter((line) => line.trim() !== '')
    const end = lines.slice(-lastLines)
    const found: (Tokenless | null)[] = [
      suggestion('tip', tipIn(end.join('\n'), tips)),
      suggestion('option', optionIn(end)),
      suggestion('failed_test', hasFailedTest(items, tests) ? cues.failedTest[language] : undefined),
      suggestion('todo', todos.find(({ isDone }) => !isDone)?.text),
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

/** The first of at least two that a question offers. */
function optionIn(lines: readonly string[]): string | undefined {
  const options = lines.flatMap((line) => listLine.exec(line)?.[1] ?? [])
  const isQuestion = lines.some((line) => asks.test(line) && !listLine.test(line))
  if (options.length < 2 || !isQuestion) return undefined
  return options[0]?.replace(/\*\*|`/g, '').replace(/[.。]$/u, '')
}

/** The last run of tests in this turn ended badly. */
function hasFailedTest(items: readonly SessionItem[], tests: RegExp): boolean {
  const last = items.findLast(
    (item) => item.kind === 'call' && item.view?.kind === 'command' && tests.test(item.view.line),
  )
  if (last?.kind !== 'call' || last.view?.kind !== 'command') return false
  return last.view.end === 'exited' && last.view.exitCode !== 0
}
