import { describe, expect, it } from 'vitest'
import { type ComparedPiece, wordDifference } from './word-difference.ts'

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
