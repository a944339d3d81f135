import { jsonrepair } from 'jsonrepair'
import { courseLimits } from '../../../shared/domain/session/agent-course.ts'
import {
  AgentDecision,
  type DecisionCheck,
  decisionReasonLimit,
  NextStep,
  PromptPattern,
  type StateDelta,
} from '../../../shared/domain/session/agent-decision.ts'
import { AgentStep } from '../../../shared/domain/session/agent-step.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'
import { decisionSchema } from './decision-format.ts'
import { firstObject, isFields, parsedJson, withoutThinking } from './decision-text.ts'

type JsonSchema = Record<string, unknown>

/**
 * A decision, or why the text holds none: nothing is invented. `issues` are for the one retry.
 *
 * Shape: `isRepaired` where the text was not JSON as it stood; `clipped` names the fields that were over their
 * limits, for the log.
 */
export type DecisionReading =
  | { ok: true; decision: AgentDecision; isRepaired: boolean; clipped: string[] }
  | { ok: false; reason: 'cut' | 'no-object' | 'no-json' | 'invalid'; issues: string[] }

/**
 * Reads a decision out of what a model wrote, constrained or not: thinking is taken off, the first balanced
 * object is parsed, repaired only where that fails, its choices are normalised, and zod validates the result.
 *
 * A missing check is `no`; an answer that was cut by length is never used, and an unclosed object is not completed.
 * Source: `docs/decisions/models.md`, Structured output; `docs/decisions/sessions.md`, points 3, 4, 5, 6.
 */
export function readDecision(text: string, options: { isCut?: boolean } = {}): DecisionReading {
  if (options.isCut === true) return { ok: false, reason: 'cut', issues: [] }
  const slice = firstObject(withoutThinking(text))
  if (slice === undefined) return { ok: false, reason: 'no-object', issues: [] }
  const parsed = parse(slice)
  if (parsed === undefined) return { ok: false, reason: 'no-json', issues: [] }
  const clipped: string[] = []
  const read = AgentDecision.safeParse(normalise(parsed.value, clipped))
  if (read.success) return { ok: true, decision: read.data, isRepaired: parsed.isRepaired, clipped }
  const issues = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  return { ok: false, reason: 'invalid', issues }
}

function parse(slice: string): { value: unknown; isRepaired: boolean } | undefined {
  const value = parsedJson(slice)
  if (value !== undefined) return { value, isRepaired: false }
  try {
    const repaired = parsedJson(jsonrepair(slice))
    return repaired === undefined ? undefined : { value: repaired, isRepaired: true }
  } catch {
    return undefined
  }
}

function normalise(value: unknown, clipped: string[]): unknown {
  if (!isFields(value)) return value
  const fields = clipTexts(value, decisionSchema, [], clipped) as Record<string, unknown>
  return {
    ...fields,
    goal_consistency: check(fields.goal_consistency),
    constraint_check: check(fields.constraint_check),
    next_step: choice(fields.next_step, NextStep.options),
    step: choice(fields.step, AgentStep.options),
    prompt_pattern: choice(fields.prompt_pattern, PromptPattern.options),
    state_delta: delta(fields.state_delta),
  }
}

/** Clips texts to the limits that the schema names; lists keep their first items. */
function clipTexts(value: unknown, schema: JsonSchema, path: string[], clipped: string[]): unknown {
  const filled = Array.isArray(schema.anyOf)
    ? (schema.anyOf.find((option: JsonSchema) => option.type !== 'null') as JsonSchema)
    : schema
  if (filled.type === 'array' && (Array.isArray(value) || typeof value === 'string')) {
    const items = [value].flat().filter((item) => item !== '')
    const kept = items.slice(0, filled.maxItems as number)
    if (kept.length < items.length) clipped.push(path.join('.'))
    return kept.map((item) => clipTexts(item, filled.items as JsonSchema, path, clipped))
  }
  if (typeof value === 'string' && typeof filled.maxLength === 'number') {
    const line = clipLine(value, filled.maxLength)
    if (line !== value.trim()) clipped.push(path.join('.'))
    return line
  }
  if (!isFields(value) || filled.type !== 'object') return value
  const properties = Object.entries(filled.properties as Record<string, JsonSchema>)
  const known = properties.filter(([key]) => Object.hasOwn(value, key))
  return Object.fromEntries(
    known.map(([key, part]) => [key, clipTexts(value[key], part, [...path, key], clipped)]),
  )
}

const yesOrNo = /^\s*(yes|no|はい|いいえ)(?![a-z/])[\s:,.;、。()\-–—]*/i
/** Reads a check. `yes: reason` in one string is read like the two fields; any other answer than yes is `no`. */
function check(value: unknown): DecisionCheck {
  if (typeof value === 'string') {
    const text = value.normalize('NFKC')
    const word = yesOrNo.exec(text)
    const isYes = word?.[1]?.toLowerCase() === 'yes' || word?.[1] === 'はい'
    return {
      answer: isYes ? 'yes' : 'no',
      reason: clipLine(word === null ? text : text.slice(word[0].length), decisionReasonLimit),
    }
  }
  if (!isFields(value)) return { answer: 'no', reason: '' }
  const reason = typeof value.reason === 'string' ? value.reason : ''
  return { answer: choice(value.answer, ['yes', 'no']) === 'yes' ? 'yes' : 'no', reason }
}

/** Reads a delta. A bare string is its summary; items that are missing or empty stay. An empty list clears its item. */
function delta(value: unknown): unknown {
  if (typeof value === 'string') {
    const summary = clipLine(value, courseLimits.lastDelta.characters)
    return summary === '' ? null : { ...unchanged, summary }
  }
  if (value === undefined) return null
  if (!isFields(value)) return value
  const named = Object.entries(value).filter(([, item]) => item !== '')
  return { ...unchanged, ...Object.fromEntries(named) }
}

const unchanged: StateDelta = {
  goal: null,
  why_now: null,
  constraints: null,
  plan_brief: null,
  open_questions: null,
  summary: '',
}

/** Returns the option equal to a text, apart from full width, case, spaces and hyphens; else the value itself. */
function choice(value: unknown, options: readonly string[]): unknown {
  if (typeof value !== 'string') return value
  const key = keyOf(value)
  return options.find((option) => keyOf(option) === key) ?? value
}

function keyOf(text: string): string {
  return text
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}
