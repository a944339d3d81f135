import { describe, expect, it } from 'vitest'
import { findNotJson } from './plain-json.ts'

describe('findNotJson', () => {
  const shared = { a: 1 }
  it.each([
    [null],
    [0],
    [''],
    [[]],
    [{ a: [1, { b: 'x' }], gone: undefined }],
    [[shared, shared]],
    [Object.create(null)],
  ])('finds nothing in %j', (value) => expect(findNotJson(value)).toBeUndefined())

  const cycle: Record<string, unknown> = {}
  cycle.self = { cycle }
  it.each([
    [undefined, '$'],
    [Number.NaN, '$'],
    [{ a: [0, 1n] }, '$.a[1]'],
    [{ at: new Date(0) }, '$.at'],
    [[new Map()], '$[0]'],
    [[undefined], '$[0]'],
    [{ f: () => 1 }, '$.f'],
    [new Uint8Array(1), '$'],
    [cycle, '$.self.cycle'],
  ])('finds it in %o', (value, path) => expect(findNotJson(value)).toBe(path))
})
