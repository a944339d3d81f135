import { describe, expect, it } from 'vitest'
import words from './consent-words.json' with { type: 'json' }
import { readTypedConsent } from './typed-consent.ts'

const read = (text: string) => readTypedConsent({ text, beganAt: 5000, paintedAt: 1000 })

describe('readTypedConsent', () => {
  it.each([
    'はい',
    'はい。',
    ' はい ',
    '1',
    '１',
    '①',
    'OK',
    'ＯＫ',
    'ok!',
    'Yes',
    'yes.',
    'y',
    'はい、お願いします。',
    '承認',
    'Go ahead',
  ])('%j approves', (text) => expect(read(text)).toBe('approve'))

  it.each([
    'いいえ',
    '2',
    '２',
    'No',
    'ＮＯ',
    'no.',
    'やめて',
    'やめて！',
    'だめ',
    'キャンセル',
    'ｷｬﾝｾﾙ',
    'Don’t',
    'no, thanks',
  ])('%j refuses', (text) => expect(read(text)).toBe('refuse'))

  it.each([
    '',
    '。',
    'OK実装して',
    'はい、でもテストを先に',
    'yes, but keep the name',
    'いいえではない',
    'はい？',
    'ok?',
    'いいです',
    '12',
    'なぜ消すの',
    'noted',
    'はい\nいいえ',
  ])('%j is no consent', (text) => {
    expect(read(text)).toBeNull()
  })

  it('counts only what began at least 700 ms after the gate was painted', () => {
    const at = (beganAt: number, paintedAt: number | null) =>
      readTypedConsent({ text: 'はい', beganAt, paintedAt })
    expect(at(1699, 1000)).toBeNull()
    expect(at(1700, 1000)).toBe('approve')
    expect(at(900, 1000)).toBeNull()
    expect(at(5000, null)).toBeNull()
  })

  it('reads each word of the lists as its list says: no word says both', () => {
    for (const verdict of ['approve', 'refuse'] as const)
      for (const word of words[verdict]) expect([word, read(word)]).toEqual([word, verdict])
  })
})
