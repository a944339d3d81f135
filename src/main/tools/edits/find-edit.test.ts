import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { findEdit, nearestLines } from './find-edit.ts'

function edited(text: string, oldText: string, newText: string): string | number[] | null {
  const found = findEdit(text, oldText, newText)
  if (found.kind === 'several') return found.lines
  if (found.kind === 'none') return null
  const { from, to, insert } = found.place
  return text.slice(0, from) + insert + text.slice(to)
}

describe('findEdit', () => {
  it('takes the exact text first, and only where it stands once', () => {
    expect(edited('a b c', 'b', 'X')).toBe('a X c')
    expect(edited('b\na b\n', 'b', 'X')).toEqual([1, 2])
    expect(edited('aaa', 'aa', 'X')).toEqual([1, 1])
    expect(edited('a', 'b', 'X')).toBeNull()
  })

  it('takes the text without the white space around it, where the file has some there', () => {
    expect(edited('x = 1;\n', ' x = 1;', ' x = 2;')).toBe('x = 2;\n')
    expect(edited('x = 10\n', 'x = 1 ', 'x = 2 ')).toBeNull()
    expect(edited('ax = 1\n', ' x = 1', ' x = 2')).toBeNull()
    expect(edited('f(x = 1)\ng(x = 1)\n', 'x = 1)\n\n\n', 'x = 2)')).toEqual([1, 2])
    expect(edited('f( x , y )', ' x  ', ' z  ')).toBe('f( z , y )')
    expect(edited('f(x, y)', ' x', ' z')).toBeNull()
    expect(edited('if a then b', '\tthen\t', '\telse\t')).toBe('if a else b')
  })

  it('sees the places behind many others that are part of a longer word', () => {
    const others = 'その彼が'.repeat(30)
    expect(edited(`　彼が来た。\n${others}\n　彼が去った。\n`, '\n\n彼が', '\n\n誰かが')).toEqual([1, 3])
    expect(edited(`${others}\n　彼が去った。\n`, '\t彼が', '\t誰かが')).toBe(`${others}\n　誰かが去った。\n`)
  })

  it('takes lines with other white space, and indents what comes as the file is indented', () => {
    const file = 'function f() {\n\tif (a) {\n\t\treturn  1\n\t}\n}\n'
    expect(edited(file, '  if (a) {\n    return 1\n  }', '  if (b) {\n    return 2\n      + 3\n  }')).toBe(
      'function f() {\n\tif (b) {\n\t\treturn 2\n\t\t\t+ 3\n\t}\n}\n',
    )
    expect(edited('　春が来た。\n　夏が来た。\n', '春が来た。\n夏が来た。', '秋が来た。\n冬が来た。')).toBe(
      '　秋が来た。\n　冬が来た。\n',
    )
    expect(edited('  a\n\ta\n', '   a', ' b')).toEqual([1, 2])
  })

  it('takes whole lines away with their line end', () => {
    expect(edited('a\n  b\nc\n', '\tb\n', '')).toBe('a\nc\n')
    expect(edited('a\n  b', '\tb\n', '')).toBe('a')
    expect(edited('a\nb\nc\n', 'b\n', '')).toBe('a\nc\n')
    expect(edited('a\n  b\nc\n', '\tb', '')).toBe('a\n\nc\n')
  })

  it('never takes white space alone for a text', () => {
    expect(edited('a\nb', ' \n ', 'X')).toBeNull()
    expect(edited('a \n b', ' \n ', 'X')).toBe('aXb')
  })

  it('changes one place only, whatever file and texts are', () => {
    const pieces = ['a', 'b', ' ', '  ', '\t', '\n', '\n\n', 'ab', '　', '🎈', 'x = 1']
    let found = 0
    for (let seed = 1; seed <= 4_000; seed++) {
      const random = seededRandom(seed)
      const pick = (length: number): string =>
        Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)] ?? '').join('')
      const text = pick(3 + Math.floor(random() * 14))
      const start = Math.floor(random() * text.length)
      const cut = text.slice(start, start + 1 + Math.floor(random() * 8))
      const oldText = random() < 0.5 ? cut : cut.replaceAll(' ', '\t')
      if (oldText === '') continue
      const result = findEdit(text, oldText, 'NEW')
      if (result.kind !== 'one') continue
      found++
      const { from, to, insert } = result.place
      const loose = (part: string): string => part.replace(/\s+/g, '')
      expect(loose(text.slice(from, to)), JSON.stringify({ text, oldText })).toBe(loose(oldText))
      expect(insert.trim()).toBe('NEW')
      const isExact = text.includes(oldText)
      if (isExact) expect(text.indexOf(oldText)).toBe(text.lastIndexOf(oldText))
    }
    expect(found).toBeGreaterThan(500)
  })
})

describe('an edit with other white space than the file has', () => {
  const place = (text: string, oldText: string, newText: string): string => {
    const found = findEdit(text, oldText, newText)
    if (found.kind !== 'one') throw new Error(found.kind)
    return text.slice(0, found.place.from) + found.place.insert + text.slice(found.place.to)
  }

  it('gets deeper lines that are indented by tabs where the file has tabs', () => {
    const file = 'def f():\n\tif a:\n\t\treturn 1\n'
    const oldText = '    if a:\n        return 1'
    const newText = '    if a:\n        if b:\n            return 2\n        return 1'
    expect(place(file, oldText, newText)).toBe('def f():\n\tif a:\n\t\tif b:\n\t\t\treturn 2\n\t\treturn 1\n')
  })

  it('gets lines that are less deep than any that it replaces', () => {
    const file = 'class A:\n\tdef f():\n\t\treturn 1\n'
    expect(place(file, '        return 1', '        return 2\n    def g():\n        return 3')).toBe(
      'class A:\n\tdef f():\n\t\treturn 2\n\tdef g():\n\t\treturn 3\n',
    )
  })

  it('gets spaces where the file has spaces, as many as its levels have', () => {
    const file = 'def f():\n  if a:\n    return 1\n'
    expect(place(file, '\tif a:\n\t\treturn 1', '\tif a:\n\t\tif b:\n\t\t\treturn 2\n\t\treturn 1')).toBe(
      'def f():\n  if a:\n    if b:\n      return 2\n    return 1\n',
    )
    expect(place(file, '    if a:\n        return 1', '    if a:\n        if b:\n            return 2')).toBe(
      'def f():\n  if a:\n    if b:\n      return 2\n',
    )
  })

  it('keeps what lines up beyond a level where both indent alike', () => {
    const file = 'f(a,\n  b)\n'
    expect(place(file, 'f(a,\n   b)', 'f(a,\n   b,\n   c)')).toBe('f(a,\n  b,\n  c)\n')
  })
})

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
