import { describe, expect, it } from 'vitest'
import { type ComparedPiece, replacedWords, wordDifference } from './word-difference.ts'

const marked = (pieces: ComparedPiece[] | undefined) =>
  pieces?.map(({ text, isOnlyHere }) => (isOnlyHere ? `[${text}]` : text)).join('')

describe('the words in which two takes differ', () => {
  it.each([
    [
      'ja',
      '、雨が止んだ。彼女は笑った。',
      '、雨が降った。彼女は泣いた。',
      '、雨が[止んだ]。彼女は[笑っ]た。',
      /彼女は\[泣/,
    ],
    [
      'en',
      'The rain had stopped.',
      'The rain had begun again.',
      'The rain had [stopped].',
      /\[begun again\]/,
    ],
    ['en', 'same', 'same', 'same', /^same$/],
    ['en', '', 'all new', '', /^\[all new\]$/],
  ] as const)('%s: %s', (language, before, after, wantedBefore, wantedAfter) => {
    const difference = wordDifference(before, after, language)
    expect(marked(difference?.before)).toBe(wantedBefore)
    expect(marked(difference?.after)).toMatch(wantedAfter)
  })

  it('keeps every character of both texts', () => {
    const before = '　「雨」\n👩‍👩‍👧 と…\n\nend'
    const after = '　「雪」\n👩‍👩‍👧 も…\nend\n'
    const difference = wordDifference(before, after, 'ja')
    expect(difference?.before.map(({ text }) => text).join('')).toBe(before)
    expect(difference?.after.map(({ text }) => text).join('')).toBe(after)
  })

  it('marks nothing where hardly a word is common, or too many changed', () => {
    expect(wordDifference('The old man slept.', 'Rain; a dog barked outside', 'en')).toBeNull()
    const words = (name: string) => Array.from({ length: 3_000 }, (_, at) => `${name}${at}`).join(' ')
    expect(wordDifference(words('a'), words('b'), 'en')).toBeNull()
  })
})

describe('words that were replaced', () => {
  it('are found in lines that were written, each pair once', () => {
    const before = 'The bell.\n'
    const written = 'The bell.\nA gray door.\nA gray wall, and one more door.\n'
    const now = 'The bell.\nA grey door.\nA grey wall, and one more gate.\n'
    expect(replacedWords(before, written, now)).toEqual([
      { from: 'gray', to: 'grey' },
      { from: 'door', to: 'gate' },
    ])
  })

  it('are found in Japanese, which has no spaces', () => {
    expect(replacedWords('', '僕は静かに扉を開けた。\n', '私は静かに扉を開けた。\n')).toEqual([
      { from: '僕', to: '私' },
    ])
  })

  it.each([
    ['a line that was there before', 'A gray door.\n', 'A gray door.\n', 'A grey door.\n'],
    ['a line that was taken back', 'A gray door.\n', 'A grey door.\n', 'A gray door.\n'],
    ['a figure', '', 'It costs 12 coins.\n', 'It costs 13 coins.\n'],
    ['a single letter', '', 'let a = one\n', 'let b = one\n'],
    ['a line that is wholly another', '', 'A gray door.\n', '雨が降っていた。\n'],
    ['a line that came', '', 'A gray door.\n', 'A gray door.\nA wall.\n'],
    ['nothing', '', 'A gray door.\n', 'A gray door.\n'],
  ])('are not told of %s', (_, before, written, now) => {
    expect(replacedWords(before, written, now)).toEqual([])
  })

  it('are not told of a text that was written anew', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `the very same old line of word${at} here\n`)
    const now = lines.map((line, at) => line.replace(`word${at}`, `other${at}`))
    expect(replacedWords('', lines.slice(0, 3).join(''), now.slice(0, 3).join(''))).toHaveLength(3)
    expect(replacedWords('', lines.join(''), now.join(''))).toEqual([])
  })
})
