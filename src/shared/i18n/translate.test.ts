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
    expect(sizeText('en', 0)).toBe('0 byte')
    expect(sizeText('ja', 253_000_000)).toBe('253 MB')
  })
})
