import type { TokenCounter } from '../../src/main/drafting/fitting/token-meter.ts'
import { joinParts } from '../../src/main/drafting/prompt/build-prompt.ts'
import { AppError } from '../../src/shared/errors.ts'
import { countCodePoints } from '../../src/shared/text/code-points.ts'

const asciiCount = (text: string): number => text.replace(/[^\0-\x7f]/g, '').length

/** The tokenizers that vector files name; `fail` throws as an unreachable server does. */
const tokenizers: Record<string, (text: string) => number> = {
  len: countCodePoints,
  ceil075: (text) => Math.ceil(countCodePoints(text) * 0.75),
  ceil130: (text) => Math.ceil(countCodePoints(text) * 1.3),
  bos1: (text) => countCodePoints(text) + 1,
  mixed: (text) => countCodePoints(text) - asciiCount(text) + Math.ceil(asciiCount(text) / 4),
  lines: (text) => countCodePoints(text) + 20 * (text.split('\n').length - 1),
  fail: () => {
    throw new AppError({ code: 'tokens/unreachable' })
  },
  zero: () => 0,
}

export function syntheticCounter(name: string): TokenCounter {
  const count = tokenizers[name]
  if (count === undefined) throw new Error(`unknown tokenizer ${name}`)
  return { isEstimate: false, count: async (parts) => count(joinParts(parts)) }
}
