import { describe, expect, it } from 'vitest'
import { ErrorInfo } from '../errors.ts'
import en from './en.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }
import { chooseLanguage, createTranslate, errorText, sizeText } from './translate.ts'

const languages: Record<'ja' | 'en', Record<string, string>> = { ja, en }
const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort()

describe('the two languages', () => {
  it('have the same keys', () => {
    expect(Object.keys(ja).sort()).toEqual(Object.keys(en).sort())
  })

  it('have the same placeholders under every key', () => {
    for (const [key, text] of Object.entries(languages.ja)) {
      expect(placeholders(text), key).toEqual(placeholders(languages.en[key] ?? ''))
    }
  })

  it('leave no text empty', () => {
    for (const texts of Object.values(languages)) {
      for (const [key, text] of Object.entries(texts)) expect(text.trim(), key).not.toBe('')
    }
  })
})

describe('errors', () => {
  it('have a text in both languages that uses only the data of their code', () => {
    for (const option of ErrorInfo.options) {
      const code = [...option.shape.code.values][0] ?? ''
      const fields = Object.keys(option.shape)
      for (const [language, texts] of Object.entries(languages)) {
        const text = texts[`error.${code}`]
        expect(text, `${language} ${code}`).toBeDefined()
        for (const name of placeholders(text ?? '')) expect(fields, `${language} ${code}`).toContain(name)
      }
    }
  })

  it('read as sentences with sizes and times in units', () => {
    const t = createTranslate('en')
    expect(
      errorText(t, 'en', {
        code: 'file/too-large',
        path: 'a.txt',
        sizeBytes: 52_400_000,
        limitBytes: 20_000_000,
      }),
    ).toBe('“a.txt” is too large (52.4 MB, limit 20 MB). Split it before opening.')
    expect(errorText(t, 'en', { code: 'model/timeout', phase: 'idle', timeoutMs: 60_000 })).toContain('60 s')
  })

  it('never expands what it inserts', () => {
    const t = createTranslate('en')
    expect(errorText(t, 'en', { code: 'file/failed', path: '{reason}', reason: 'x' })).toContain('“{reason}”')
  })
})

describe('the language', () => {
  it('follows the system until one is chosen', () => {
    expect(chooseLanguage('system', 'ja-JP')).toBe('ja')
    expect(chooseLanguage('system', 'fr-FR')).toBe('en')
    expect(chooseLanguage('en', 'ja-JP')).toBe('en')
  })

  it('groups numbers and sizes', () => {
    expect(sizeText('en', 0)).toBe('0 bytes')
    expect(sizeText('ja', 253_000_000)).toBe('253 MB')
  })
})

describe('words that go with a number', () => {
  it.each([
    [0, '0 entries'],
    [1, '1 entry'],
    [2, '2 entries'],
    [1_000, '1,000 entries'],
  ])('%d', (count, text) => {
    expect(createTranslate('en')('conversation.call.entries', { count })).toBe(text)
  })

  it('each has its own', () => {
    const matches = (count: number, files: number) =>
      createTranslate('en')('conversation.call.matches', { count, files })
    expect([matches(1, 1), matches(2, 1), matches(3, 2)]).toEqual([
      '1 match in 1 file',
      '2 matches in 1 file',
      '3 matches in 2 files',
    ])
    expect([sizeText('en', 1), sizeText('en', 42)]).toEqual(['1 byte', '42 bytes'])
  })
})
