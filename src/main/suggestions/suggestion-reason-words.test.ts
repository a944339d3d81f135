import { describe, expect, it } from 'vitest'
import { SuggestionGuard, SuggestionLack } from '../../shared/domain/session/suggestion.ts'
import en from '../../shared/i18n/en.json' with { type: 'json' }
import ja from '../../shared/i18n/ja.json' with { type: 'json' }
import { filterReasons } from './suggestion-filter.ts'

const reasons = [...SuggestionGuard.options, ...SuggestionLack.options, ...filterReasons]

describe.each(Object.entries({ ja, en }))('why there was no suggestion, in %s', (_language, texts) => {
  it.each(reasons)('%s has its words, and they are its own', (reason) => {
    const words: Record<string, string> = texts
    const said = words[`suggestion.reason.${reason}`]
    expect(said).toBeTruthy()
    const same = reasons.filter((other) => words[`suggestion.reason.${other}`] === said)
    expect(same).toEqual([reason])
  })
})
