import { jsonrepair } from 'jsonrepair'
import type { ToolCall } from '../../models/client/model-client.ts'
import { isJsonObject } from '../../models/openai/tool-call-collector.ts'
import { firstObject, isFields, parsedJson } from '../decision/decision-text.ts'

/** `isCut`: of an answer that was cut off by its length; it is not carried out. */
export type WrittenCall = { name: string; args: string; isCut?: true }

/**
 * Returns the calls in an answer of `{"calls": [{"tool", "args"}, …]}`.
 *
 * Shape: an answer that was cut or does not parse is one call without a name, which no tool accepts: the model is
 * told. `null`: the answer has no object at all; an unconstrained model has written prose.
 */
export function readCalls(text: string, isCut: boolean): WrittenCall[] | null {
  const slice = firstObject(text)
  if (slice === undefined) return text.includes('{') || isCut ? [unreadable(text)] : null
  // Without repair: half a text would be written as if it were the whole.
  const value = parsedJson(slice)
  if (!isFields(value)) return [unreadable(slice)]
  // Small models write a single call without the list around it.
  const calls = Array.isArray(value.calls) ? value.calls : 'tool' in value ? [value] : undefined
  if (calls === undefined) return [unreadable(slice)]
  return calls.map((call: unknown) => {
    if (!isFields(call) || typeof call.tool !== 'string') return unreadable(JSON.stringify(call))
    return { name: call.tool, args: JSON.stringify(call.args ?? {}) }
  })
}

function unreadable(text: string): WrittenCall {
  return { name: '', args: JSON.stringify(text) }
}

/**
 * Reads the calls of an answer. A cut answer does not end the work: without a whole call it counts as a call that no
 * tool accepts. Calls of a cut answer are neither repaired nor carried out.
 */
export function nativeCalls(calls: readonly ToolCall[], isCut: boolean): WrittenCall[] {
  if (isCut && calls.length === 0) return [{ name: '', args: '{}', isCut }]
  return calls.map(({ name, arguments: args }) =>
    isCut ? { name, args, isCut } : { name, args: repairArguments(args) },
  )
}

/**
 * Returns the arguments of a call as JSON where only their strings were spelt wrongly: line breaks and quotes
 * that were not escaped, escapes that JSON does not have. Anything else comes back as it was.
 *
 * A repair that adds or takes away anything but quotes, escapes, commas and white space is not used: brackets
 * that are missing mean that the text is not whole, and half a text must not be written as if it were all.
 */
export function repairArguments(args: string): string {
  if (args.trim() === '' || isJsonObject(args)) return args
  try {
    const repaired = jsonrepair(withPlainBackslashes(args))
    return isJsonObject(repaired) && bare(repaired) === bare(args) ? repaired : args
  } catch {
    return args
  }
}

/** Doubles the backslashes of escapes that JSON does not have: `\\d` is meant as it stands. */
function withPlainBackslashes(text: string): string {
  return text.replace(/\\(["\\/bfnrtu])|\\/g, (pair) => (pair.length === 2 ? pair : '\\\\'))
}

/** Returns the text without what a repair may change. */
function bare(text: string): string {
  return text.replace(/\\["\\/bfnrtu]|[\s"'\\,]/g, '')
}
