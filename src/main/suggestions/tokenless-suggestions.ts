import { z } from 'zod'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type { SuggestionSource } from '../../shared/domain/session/suggestion.ts'

const pattern = z.string().min(1)

/**
 * Cues of a sentence that asks the reader to choose. Regular expressions over one sentence.
 *
 * Shape: `which` choose among the list before or after them; `open` among the list after them, or before them where
 * `offers` introduce it; `requests` need no question mark; `unfinished` end in the list itself, with an `or` in it.
 * `yesOrNo` open a question that offers nothing. `reports`: list lines that tell of something done.
 */
const OptionCues = z.object({
  which: pattern,
  open: pattern,
  requests: pattern,
  unfinished: pattern,
  or: pattern,
  yesOrNo: pattern,
  offers: pattern,
  reports: pattern,
})
type OptionCues = z.infer<typeof OptionCues>

/** Cues by which a next step is recognised. Source: `resources/words/suggestion-cues.json`. */
export const SuggestionCues = z.object({
  tips: z.array(z.string()).min(1),
  options: OptionCues,
  tests: pattern,
  /** A line in a test run's own summary that tells of failures. */
  failures: pattern,
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

type Block = { kind: 'text'; lines: string[] } | { kind: 'list'; items: string[] }

/** Most lines of text behind a list from which the reader is still asked to choose. */
const mostTrailingLines = 2
const listLine = /^\s*(?:[-*+・•]\s*|\(?[0-9A-Za-z０-９]{1,2}[.)．）:：]\s*)(\S.*)$/u

/** Finds the first option that the end of a reply asks the reader to choose from. Pure. */
function createOptionFinder(cues: OptionCues): (reply: string) => string | undefined {
  const patterns = Object.fromEntries(
    Object.entries(cues).map(([name, source]) => [name, new RegExp(source, 'iu')]),
  ) as Record<keyof OptionCues, RegExp>

  const asksWhich = (sentence: string): boolean =>
    !patterns.yesOrNo.test(sentence) && patterns.which.test(sentence)
  const asksOpenly = (sentence: string): boolean =>
    !patterns.yesOrNo.test(sentence) && patterns.open.test(sentence)

  return (reply) => {
    const blocks = blocksOf(reply)
    const at = blocks.findLastIndex(({ kind }) => kind === 'list')
    const list = blocks[at]
    if (list?.kind !== 'list' || list.items.length < 2) return undefined
    const after = linesOf(blocks[at + 1])
    if (after.length > mostTrailingLines) return undefined
    const before = linesOf(blocks[at - 1])
    const lead = sentencesOf(before.at(-1) ?? '').at(-1) ?? ''
    const asked = sentencesOf(after[0] ?? '')
    const isIntroduced = asked.some((sentence) => asksOpenly(sentence)) && patterns.offers.test(lead)
    const isAsked =
      asksWhich(lead) ||
      asksOpenly(lead) ||
      patterns.requests.test(lead) ||
      (patterns.unfinished.test(lead) && list.items.some((item) => patterns.or.test(item))) ||
      asked.some((sentence) => asksWhich(sentence) || patterns.requests.test(sentence)) ||
      isIntroduced
    if (!isAsked || list.items.every((item) => patterns.reports.test(item))) return undefined
    return list.items[0]
      ?.replace(/\*\*|`/g, '')
      .replace(patterns.or, '')
      .replace(/[.。]$/u, '')
  }
}

/** Splits a reply into text and lists, without fenced code. A line indented below a list belongs to its item. */
function blocksOf(reply: string): Block[] {
  const blocks: Block[] = []
  for (const line of withoutFences(reply).split('\n')) {
    const last = blocks.at(-1)
    const item = listLine.exec(line)?.[1]
    const isBelowItem = last?.kind === 'list' && item === undefined && /^\s/.test(line)
    if (line.trim() === '' || isBelowItem) continue
    if (item !== undefined && !/^[-*_]{2,}$/.test(item.trim())) {
      if (last?.kind === 'list') last.items.push(item.trim())
      else blocks.push({ kind: 'list', items: [item.trim()] })
    } else if (last?.kind === 'text') last.lines.push(line.trim())
    else blocks.push({ kind: 'text', lines: [line.trim()] })
  }
  return blocks
}

function withoutFences(text: string): string {
  return text.replace(/^\s*(```|~~~)[\s\S]*?(?:^\s*\1[^\n]*$|$(?![\s\S]))/gm, '')
}

function linesOf(block: Block | undefined): string[] {
  return block?.kind === 'text' ? block.lines : []
}

/** Returns the sentences of a line, with their closing marks. */
function sentencesOf(line: string): string[] {
  return line.match(/[^.!?。！？]+(?:[.!?。！？]+["'”」』）)]*)?/gu)?.map((one) => one.trim()) ?? []
}

type Call = Extract<SessionItem, { kind: 'call' }>

/** A path or a file name in a todo. */
const fileName = /[\p{L}\p{N}_./\\-]+\.[A-Za-z0-9]{1,8}(?![\p{L}\p{N}])/gu

/**
 * Finds the next todo that is really open. Undefined: there is none, or that is not certain.
 *
 * The list is right as long as no later call changed anything. After a change, a todo counts as open only if it names
 * files and none of them was touched.
 */
function openTodo(
  todos: readonly { text: string; isDone: boolean }[],
  items: readonly SessionItem[],
): string | undefined {
  const next = todos.find(({ isDone }) => !isDone)?.text
  if (next === undefined) return undefined
  const calls = items.filter((item): item is Call => item.kind === 'call')
  const written = calls.findLastIndex(
    ({ tool, state }) => (tool === 'todo_write' || tool === 'propose_plan') && state === 'done',
  )
  const later = calls.slice(written + 1).filter(({ state }) => state === 'done')
  if (!later.some(isChange)) return next
  const named = [...next.matchAll(fileName)].map(([name]) => name)
  const touched = new Set(later.flatMap(pathsOf).map(baseName))
  return named.length > 0 && named.every((name) => !touched.has(baseName(name))) ? next : undefined
}

function isChange({ view }: Call): boolean {
  return view?.kind === 'change' || view?.kind === 'command'
}

function pathsOf({ view }: Call): string[] {
  if (view?.kind === 'file') return [view.path]
  return view?.kind === 'change'
    ? view.files.flatMap(({ path, to }) => (to === null ? [path] : [path, to]))
    : []
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1)?.toLowerCase() ?? path
}
