import { expect, it } from 'vitest'
import { isTooDeep } from './json.ts'

it.each([
  ['[[[]]]', 3, false],
  ['[[[]]]', 2, true],
  ['{"a":[{}]}', 2, true],
  ['[],[],[],[]', 1, false],
  ['"[[[["', 1, false],
  ['["\\"[[[", "\\\\", [1]]', 2, false],
  ['["\\\\", [[1]]]', 2, true],
  ['', 0, false],
])('%s is deeper than %i: %s', (json, limit, isDeep) => expect(isTooDeep(json, limit)).toBe(isDeep))

it('is found in any length', () => expect(isTooDeep('['.repeat(1_000_000))).toBe(true))
