import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import type { MessageSegment } from '../../../shared/domain/session/message-segment.ts'
import { ChipStore } from './message-chips.ts'
import { begunFolder, referenceQuery } from './reference-query.ts'

/** The query at the `|` of a text. */
function at(marked: string) {
  const caret = marked.indexOf('|')
  return referenceQuery(marked.replace('|', ''), caret)
}

describe('the reference at the caret', () => {
  it.each([
    ['@|', '', 0],
    ['@小説/第一章|を推敲', '小説/第一章', 0],
    ['読んで @src/da|', 'src/da', 4],
    ['前の章、@第二|', '第二', 4],
    ['「@第二|', '第二', 1],
    ['　@第二|', '第二', 1],
    ['一行目\n@b|', 'b', 4],
    ['@"第一 章|', '第一 章', 0],
    ['@node_modules/@types/n|', 'node_modules/@types/n', 0],
    ['@一、@二|', '二', 3],
  ])('%s', (marked, path, from) => expect(at(marked)).toMatchObject({ path, from, range: null }))

  it.each(['me@example.com|', '@a b|', '@"a b"|', 'a|@b', '章@|', '@a\n|', '|', '@a*|'])(
    '%s is none',
    (marked) => expect(at(marked)).toBeNull(),
  )

  it.each([
    ['@a.md#L5|', { from: 5, to: 5 }],
    ['@a.md#L5-10|', { from: 5, to: 10 }],
    ['@a.md#L5-L10|', { from: 5, to: 10 }],
    ['@a.md#L5-|', { from: 5, to: 5 }],
    ['@a.md#L10-5|', { from: 5, to: 10 }],
    ['@a.md#L|', null],
    ['@"第一 章.md#L3|', { from: 3, to: 3 }],
  ])('%s takes its lines', (marked, range) => {
    expect(at(marked)?.range).toEqual(range)
    expect(at(marked)?.path).toMatch(/\.md$/)
  })

  it('stands behind a chip as well', () => {
    const chips = new ChipStore()
    const text = `${chips.add({ kind: 'file-ref', path: 'a.md', range: null })}@b`
    expect(referenceQuery(text, text.length)?.path).toBe('b')
  })

  it('is no longer a path after so much', () => {
    expect(at(`@${'a'.repeat(400)}|`)).not.toBeNull()
    expect(at(`@${'a'.repeat(401)}|`)).toBeNull()
  })

  it.each(['src/', '第一 部/', '絵(1)/'])('goes on inside %s', (path) => {
    const text = begunFolder(path)
    expect(referenceQuery(text, text.length)?.path).toBe(path)
  })
})

describe('lines typed behind a chip', () => {
  const read = (behind: string) => {
    const chips = new ChipStore()
    return chips.toSegments(`${chips.add({ kind: 'file-ref', path: 'a.md', range: null })}${behind}`)
  }

  it('are the file’s', () => {
    expect(read('#L5-10を直して')).toEqual([
      { kind: 'file-ref', path: 'a.md', range: { from: 5, to: 10 } },
      { kind: 'text', text: 'を直して' },
    ])
    expect(read('#L7')).toEqual([{ kind: 'file-ref', path: 'a.md', range: { from: 7, to: 7 } }])
  })

  it.each(['#L', '#L0', ' #L5', '#L5x', '#5'])('%s is text', (behind) =>
    expect(read(behind)).toEqual([
      { kind: 'file-ref', path: 'a.md', range: null },
      { kind: 'text', text: behind },
    ]),
  )

  it('do not change the lines that a chip has', () => {
    const chips = new ChipStore()
    const chip: MessageSegment = { kind: 'file-ref', path: 'a.md', range: { from: 1, to: 2 } }
    expect(chips.toSegments(`${chips.add(chip)}#L9`)).toEqual([chip, { kind: 'text', text: '#L9' }])
  })
})

it('segments in a box are the same when they are read again, whatever they hold', () => {
  const random = seededRandom(6)
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T
  const words = [
    'を推敲',
    ' @param ',
    'a@b.c',
    '\n',
    '。',
    '第一 章',
    '@"x"',
    '\u{1F58B}',
    '"引用" \\',
    '\r\n二行目',
    '𠮷野家、',
    'e\u0301',
    '0',
    '\uF8FF',
  ]
  for (let round = 0; round < 500; round += 1) {
    const segments: MessageSegment[] = []
    const count = Math.floor(random() * 6)
    for (let i = 0; i < count; i += 1) {
      const kind = pick(['text', 'file-ref', 'paste'] as const)
      // Two texts in a row are one.
      if (kind === 'text' && segments.at(-1)?.kind === 'text') continue
      if (kind !== 'file-ref') segments.push({ kind, text: pick(words) + pick(words) })
      else {
        const range = pick([null, { from: 1, to: 1 }, { from: 5, to: 10 }])
        segments.push({ kind, path: `${pick(words)}/${pick(words)}`, range })
      }
    }
    const chips = new ChipStore()
    expect(chips.toSegments(chips.toText(segments))).toEqual(segments)
  }
})
