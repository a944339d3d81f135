import { describe, expect, it } from 'vitest'
import { continuationPosition, readManuscript } from './manuscript-marks.ts'

const kept = (source: string) => readManuscript(source).text
const marked = (source: string) =>
  readManuscript(source).marks.map(({ from, to, kind }) => `${kind}:${source.slice(from, to)}`)

describe('comments', () => {
  it('end with their line, which stays', () => {
    expect(kept('a@//b\nc')).toBe('a\nc')
    expect(marked('a@//b\r\nc')).toEqual(['comment:@//b'])
  })

  it('are read left to right, the first opener wins', () => {
    expect(kept('@//x @/* y\nz @*/ w')).toBe('\nz @*/ w')
    expect(kept('a@/*b @//c@*/d')).toBe('ad')
    expect(kept('@/*/@*/x')).toBe('x')
  })

  it('stay literal when they are not closed, and what follows is still read', () => {
    expect(kept('a@/*b\nc@//d')).toBe('a@/*b\nc')
  })
})

describe('the range', () => {
  it('lies after the last start command and before the first end after it', () => {
    const source = '前 @break 中 @startpoint 後 @endpoint 外 @endpoint'
    expect(kept(source)).toBe(' 後 ')
    expect(marked(source)).toEqual([
      'outside:前 ',
      'command:@break',
      'outside: 中 ',
      'command:@startpoint',
      'command:@endpoint',
      'outside: 外 ',
      'command:@endpoint',
    ])
    expect(readManuscript(source).hasStart).toBe(true)
  })

  it('ignores commands in comments and next to ASCII letters and digits', () => {
    expect(kept('a@// @break\nb')).toBe('a\nb')
    expect(kept('mail@break.jp')).toBe('mail@break.jp')
    expect(kept('猫@break3')).toBe('猫@break3')
    expect(kept('猫@break犬')).toBe('犬')
  })

  it('is judged on the text without comments, and marks map back over them', () => {
    const source = '猫@/*x@*/\n@break@/*y@*/犬'
    expect(kept(source)).toBe('犬')
    expect(marked(source)).toEqual([
      'outside:猫',
      'comment:@/*x@*/',
      'outside:\n',
      'command:@break',
      'comment:@/*y@*/',
    ])
  })
})

it('keeps and marks every character once', () => {
  for (const source of ['', 'a', '@//', '@break', 'x@/*@break@*/y@endpoint z @//w\n@startpoint', '@/@/@//']) {
    const { kept: spans, marks, text } = readManuscript(source)
    const all = [...spans, ...marks].sort((a, b) => a.from - b.from)
    expect(all.map(({ from, to }) => source.slice(from, to)).join('')).toBe(source)
    expect(spans.map(({ from, to }) => source.slice(from, to)).join('')).toBe(text)
  }
})

describe('where a continuation goes', () => {
  it.each([
    ['前。\n', 3],
    ['前。@endpoint 後。', 2],
    ['前。@// @endpoint は注記\n', 20],
    ['a@endpoint b', 12],
    ['捨。@endpoint\n@break前。@endpoint後', 20],
    ['前。@endpoint\n@break残り', 20],
  ])('%j → %i', (source, position) => {
    expect(continuationPosition(source)).toBe(position)
  })
})
