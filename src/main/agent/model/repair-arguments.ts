import { jsonrepair } from 'jsonrepair'
import { isJsonObject } from '../../models/openai/tool-call-collector.ts'

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

/** The text without what a repair may change. */
function bare(text: string): string {
  return text.replace(/\\["\\/bfnrtu]|[\s"'\\,]/g, '')
}
