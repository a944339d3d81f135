import { describe, expect, it } from 'vitest'
import { ErrorInfo } from '../errors.ts'
import en from './en.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }
import { chooseLanguage, createTranslate, errorText, type MessageKey, sizeText } from './translate.ts'

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
    const denied = { code: 'speculation/denied', denial: 'rule', detail: 'src/*' } as const
    expect(errorText(t, 'en', denied)).toMatch(/blocks these changes\. The rule “src\/\*” blocks them\.$/)
    expect(errorText(t, 'en', { code: 'model/timeout', phase: 'idle', timeoutMs: 60_000 })).toContain('60 s')
  })

  it('never expands what it inserts', () => {
    const t = createTranslate('en')
    expect(errorText(t, 'en', { code: 'file/failed', path: '{reason}', reason: 'x' })).toContain('“{reason}”')
  })
})

describe('a list as a value', () => {
  it('is joined as usual in the language of the text', () => {
    const values = { paths: ['a.txt', 'b{c}.txt'] }
    expect(createTranslate('ja')('undo.left', values)).toMatch(/：a\.txt、b\{c\}\.txt$/)
    expect(createTranslate('en')('undo.left', values)).toContain(': a.txt, b{c}.txt')
  })

  it('is joined in errors as well', () => {
    const told = errorText(createTranslate('ja'), 'ja', {
      code: 'reference/secret',
      paths: ['.env', 'key.pem'],
    })
    expect(told).toContain('.env、key.pem')
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

/** Placeholders of texts; all others may be numbers. */
const textNames = new Set(
  'path name address file host reason message link option method sample encoding modelName modelFile problem phase'
    .concat(
      ' encodings trouble size sizeBytes limitBytes version platform keys item key time theme model title what',
    )
    .concat(
      ' timeoutMs values paths folder patterns subject places command from to kind event tag value denial detail',
    )
    .split(' '),
)
/** A number that names something is followed by a verb. */
const verbs = /1 (?:stops|was|is|has|does|waits)\b/
const noPlural = new Set(['catalogue.parameters'])

describe('words that go with a number', () => {
  const counted = Object.entries(languages.en).filter(([key, text]) => /\{/.test(text) && !noPlural.has(key))
  const filled = (key: string, text: string, count: number) => {
    const names = placeholders(text.replaceAll(/\|[^{}]*/g, ''))
    return createTranslate('en')(
      key as MessageKey,
      Object.fromEntries(names.map((name) => [name ?? '', nameIsNumber(name ?? '') ? count : 'x'])),
    )
  }
  const nameIsNumber = (name: string) => !textNames.has(name)

  it('are plural in no text after a one', () => {
    const wrong = counted
      .map(([key, text]) => [key, filled(key, text, 1)])
      .filter(([, text]) =>
        /(?<![\d.,/–+−])\b1 (?:more |changed |unchanged |open )?[a-z]{3,}s\b/.test(text ?? ''),
      )
    expect(wrong.filter(([, text]) => !verbs.test(text ?? ''))).toEqual([])
  })

  it('are singular in no text after a two', () => {
    const nouns = [
      ...new Set(Object.values(languages.en).flatMap((text) => [...text.matchAll(/\{\w+\|(\w+)\|/g)])),
    ].map(([, one]) => one)
    expect(nouns.length).toBeGreaterThan(60)
    const singular = new RegExp(`\\b2 (?:${nouns.join('|')})\\b`)
    expect(
      counted
        .map(([key, text]) => [key, filled(key, text, 2)])
        .filter(([, text]) => singular.test(text ?? '')),
    ).toEqual([])
  })

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
