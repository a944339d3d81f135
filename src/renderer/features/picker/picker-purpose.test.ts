import { describe, expect, it } from 'vitest'
import { type Entry, indexOfTyped, isFilePath } from './picker-purpose.ts'

const entries: Entry[] = ['Books', 'drafts', 'Desk', '潮騒'].map((name) => ({
  name,
  path: `/${name}`,
  kind: 'folder',
}))

describe('typeAhead', () => {
  it('finds the next name without regard to case', () => {
    expect(indexOfTyped(entries, 0, 'd')).toBe(1)
    expect(indexOfTyped(entries, 2, 'd')).toBe(2)
    expect(indexOfTyped(entries, 0, 'de')).toBe(2)
    expect(indexOfTyped(entries, 0, '潮')).toBe(3)
  })

  it('goes round to the beginning', () => {
    expect(indexOfTyped(entries, 3, 'b')).toBe(0)
  })

  it('finds nothing where nothing begins so', () => {
    expect(indexOfTyped(entries, 0, 'x')).toBe(-1)
    expect(indexOfTyped([], 0, 'x')).toBe(-1)
  })
})

describe('a path that is pasted', () => {
  it('is a model file where one is picked, and a folder elsewhere', () => {
    expect(isFilePath('open-gguf', '/models/a.GGUF')).toBe(true)
    expect(isFilePath('open-gguf', '/models')).toBe(false)
    expect(isFilePath('gguf-folder', '/models/a.gguf')).toBe(false)
    expect(isFilePath('open-work', '/novels/cat.json')).toBe(true)
    expect(isFilePath('open-work', '/novels/001.txt')).toBe(true)
    expect(isFilePath('open-work', '/novels/cat')).toBe(false)
  })
})
