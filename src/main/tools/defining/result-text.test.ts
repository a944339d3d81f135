import { expect, it } from 'vitest'
import { resultBytesFor } from './result-text.ts'

it.each([
  [null, 16_384],
  [2_048, 4_096],
  [8_192, 8_192],
  [16_384, 16_384],
  [32_768, 32_768],
  [131_072, 65_536],
  [1_000_000, 65_536],
])('gives a result of a window of %s tokens %s bytes', (windowTokens, bytes) => {
  expect(resultBytesFor(windowTokens)).toBe(bytes)
})
