import type { z } from 'zod'
import { isTooDeep, limitJsonDepth } from '../../../shared/text/json.ts'
import { fillPlaces } from '../../prompts/fill-places.ts'
import type { Tool } from './tool.ts'
import type { IssueKey, ToolWords } from './tool-words.ts'

/** Maximum length of a call's arguments; longer ones are refused unread. Units: UTF-16 code units. */
export const limitArgsChars = 12_000_000

/** Shape: `issues` tells the model what does not fit, or why the text is not a JSON object. */
type ReadArguments =
  | { kind: 'read'; args: Record<string, unknown> }
  | { kind: 'not-json' | 'bad-arguments'; args: Record<string, unknown>; issues: string }

const limitIssues = 5

/** Our names of arguments, by the names that other programs' tools have. */
export type OtherNames = Readonly<Record<string, string>>

/** Names of arguments in other programs' tools: models that were trained on those use them. */
const otherNames: OtherNames = {
  file_path: 'path',
  filePath: 'path',
  absolute_path: 'path',
  command: 'line',
  cmd: 'line',
  directory: 'folder',
  workdir: 'folder',
  cwd: 'folder',
  run_in_background: 'background',
  is_background: 'background',
  offset: 'from',
  start_line: 'from',
  end_line: 'to',
  query: 'pattern',
  include: 'glob',
  file_text: 'content',
  source: 'path',
  destination: 'to',
}

/** Arguments of other programs that say why a call is made; they do not change what it does. */
const otherReasons = ['description', 'explanation']

/**
 * Reads a call's arguments as its tool's schema requires. Names that other programs use are taken for ours, and
 * numbers may be text. Nothing else is repaired or completed: a truncated text would be written as if it were whole.
 *
 * Shape: a key with null counts as not given; an empty text as no arguments.
 */
export function readArguments(tool: Tool, json: string, words: ToolWords): ReadArguments {
  const value = parseObject(json)
  if (typeof value === 'string') return { kind: 'not-json', args: {}, issues: clip(value) }
  const given = Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null))
  const named = withOwnNames(Object.keys(tool.args.shape), withReason(tool, given), otherNames)
  const args = withNumbers(tool, tool.reshape(named))
  const parsed = tool.accepted.safeParse(args)
  if (parsed.success) return { kind: 'read', args }
  const issues = parsed.error.issues.slice(0, limitIssues).map((issue) => issueLine(issue, words))
  return { kind: 'bad-arguments', args, issues: issues.join('\n') }
}

/** Uses another program's argument as `reason` where the call gives none, and drops it where the call gives one. */
function withReason(tool: Tool, given: Record<string, unknown>): Record<string, unknown> {
  const { reason } = tool.args.shape
  if (reason === undefined) return given
  const isOther = (name: string): boolean =>
    otherReasons.includes(name) && !Object.hasOwn(tool.args.shape, name) && typeof given[name] === 'string'
  const others = Object.keys(given).filter(isOther)
  const kept = Object.entries(given).filter(([name]) => !others.includes(name))
  const words = given.reason ?? given[others[0] ?? '']
  return { ...Object.fromEntries(kept), ...(words === undefined ? {} : { reason: words }) }
}

/** Converts whole numbers that are written as text where the tool requires numbers. */
function withNumbers(tool: Tool, args: Record<string, unknown>): Record<string, unknown> {
  const issues = tool.accepted.safeParse(args).error?.issues ?? []
  const wanted = issues.flatMap(({ code, path, ...issue }) => {
    const [name] = path
    const isNumber = code === 'invalid_type' && 'expected' in issue && /^(number|int)$/.test(issue.expected)
    const text = typeof name === 'string' && path.length === 1 && isNumber ? args[name] : undefined
    return typeof text === 'string' && /^\d{1,9}$/.test(text) ? [[name, Number(text)] as const] : []
  })
  return wanted.length === 0 ? args : { ...args, ...Object.fromEntries(wanted) }
}

/** Returns the object, or a message that says why the text is not one. */
function parseObject(json: string): Record<string, unknown> | string {
  if (json.trim() === '') return {}
  if (isTooDeep(json)) return `nested deeper than ${limitJsonDepth} levels`
  try {
    const value: unknown = JSON.parse(json)
    return isFields(value) ? value : 'no object'
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
}

function issueLine(issue: z.core.$ZodIssue, words: ToolWords): string {
  const path = clip(issue.path.map(String).join('.') || '(arguments)')
  const line = (key: IssueKey, wanted: string): string => fillPlaces(words.issues[key], { path, wanted })
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? line('missing', issue.expected) : line('type', issue.expected)
    case 'invalid_value':
      return line('choice', issue.values.map(String).join(', '))
    case 'too_small':
      return line('small', String(issue.minimum))
    case 'too_big':
      return line('big', String(issue.maximum))
    case 'unrecognized_keys':
      return line('unknown-key', clip(issue.keys.join(', ')))
    default:
      return line('other', issue.code)
  }
}

function clip(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, 200)
}

/**
 * Renames arguments from other programs' names, or from other spellings of ours (`oldText` for `old_text`), to ours. An
 * argument that is given by two names with different values keeps the other name, which the tool then refuses.
 */
export function withOwnNames(
  ownNames: readonly string[],
  given: Readonly<Record<string, unknown>>,
  others: OtherNames,
): Record<string, unknown> {
  const args = new Map<string, unknown>()
  for (const [name, value] of Object.entries(given)) if (ownNames.includes(name)) args.set(name, value)
  for (const [name, value] of Object.entries(given)) {
    if (ownNames.includes(name)) continue
    const other = Object.hasOwn(others, name) ? others[name] : undefined
    const own = ownNames.find((one) => one === other || spelling(one) === spelling(name))
    if (own === undefined || (args.has(own) && args.get(own) !== value)) args.set(name, value)
    else args.set(own, value)
  }
  return Object.fromEntries(args)
}

function spelling(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}

export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
