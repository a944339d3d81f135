import { expect, it } from 'vitest'
import { shiftedLength } from '../../fakes/servers/kobold/shifted-length.ts'

const run = (name: string, length: number) => Array.from({ length }, (_, at) => `${name}${at}`)
const [head, early, late, page] = [run('h', 500), run('e', 3_000), run('l', 9_000), run('p', 300)]
const limits = { contextTokens: 16_384, outputTokens: 400 }
const cache = [...head, ...early, ...late]

it('a cache moves with a text whose early part is cut', () => {
  expect(shiftedLength([...head, ...late, ...page], cache, limits)).toBe(9_500)
})

it('nothing behind an insertion at the head is kept, even where a part is cut behind it', () => {
  expect(shiftedLength([...head, ...run('new', 200), ...early, ...late], cache, limits)).toBe(500)
  expect(shiftedLength([...head, ...run('new', 200), ...late], cache, limits)).toBe(500)
})

it('too short a part is not kept', () => {
  const short = [...head, ...late.slice(0, 5_000), ...page.slice(0, 100), ...run('other', 4_000)]
  expect(shiftedLength(short, cache, limits)).toBe(500)
})

it('what only goes on is kept as ever', () => {
  expect(shiftedLength([...cache, ...page], cache, limits)).toBe(cache.length)
})
