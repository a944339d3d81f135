import { Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../tests/fakes/seeded-random.ts'
import { changesBetween } from './text-difference.ts'

const textOf = (text: string): Text => Text.of(text.split('\n'))

describe('the change between two texts', () => {
  it('makes one of the other, whatever they are', () => {
    const random = seededRandom(3)
    const pick = (count: number): number => Math.floor(random() * count)
    const line = (): string => ['', 'あ', 'い', '😀', '😁😀', 'うえ'][pick(6)] ?? ''
    for (let round = 0; round < 2_000; round++) {
      const lines = Array.from({ length: 1 + pick(6) }, line)
      const edited = lines.flatMap((old) => [[old], [], [line()], [old, line()]][pick(4)] ?? [])
      const [before, after] = [textOf(lines.join('\n')), textOf(edited.join('\n'))]
      expect(changesBetween(before, after).apply(before).toString()).toBe(after.toString())
    }
  })

  it('leaves a cursor between two edits where it was', () => {
    const before = textOf('一行目\n二行目\n三行目')
    const changes = changesBetween(before, textOf('壱行目\n二行目\n三行目。'))
    expect(changes.mapPos(5)).toBe(5)
    expect(changes.toJSON()).toEqual([[1, '壱'], 10, [0, '。']])
  })

  it('replaces all where nothing is alike, and does not take long for it', () => {
    const before = textOf(Array.from({ length: 20_000 }, (_, i) => `a${i}`).join('\n'))
    const after = textOf(Array.from({ length: 20_000 }, (_, i) => `b${i}`).join('\n'))
    expect(changesBetween(before, after).apply(before).toString()).toBe(after.toString())
  })
})
