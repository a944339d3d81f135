import { describe, expect, it } from 'vitest'
import { nearestLines } from './near-lines.ts'

describe('nearestLines', () => {
  it('shows as many lines as were looked for, around the one that says most', () => {
    const text = 'import x\n\nfunction sum(items: number[]) {\n  return items.reduce(add, 0)\n}\n'
    const wanted = 'function sum(items) {\n  return items.reduce(add)\n}'
    expect(nearestLines(text, wanted)).toEqual([
      { number: 3, text: 'function sum(items: number[]) {' },
      { number: 4, text: '  return items.reduce(add, 0)' },
      { number: 5, text: '}' },
    ])
  })

  it('shows nothing where nothing is like it', () => {
    expect(nearestLines('abc\ndef\n', 'wholly different words')).toEqual([])
    expect(nearestLines('', 'x')).toEqual([])
    expect(nearestLines('abc', '\n \n')).toEqual([])
  })

  it('shows at most a dozen lines', () => {
    const text = Array.from({ length: 40 }, (_, at) => `line number ${at}`).join('\n')
    expect(nearestLines(text, `${text}\nline number X`).length).toBeLessThanOrEqual(12)
  })
})
