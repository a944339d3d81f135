import { describe, expect, it } from 'vitest'
import { languageOfText } from './text-language.ts'

describe('the language of a text', () => {
  it.each([
    ['It was dark. Tanaka (田中) said nothing.', 'en'],
    ['She read the sign, 「立入禁止」, and went in without a second look at the guard.', 'en'],
    ['　暗い夜だった。', 'ja'],
    ['AIのTsugiはNode.jsとElectronで動く。', 'ja'],
    ['src/renderer/features/models/profile-form.tsx を直して', 'ja'],
    ['React の useEffect hook を fix して', 'ja'],
    ['Fix the typo in README.md', 'en'],
    ['Il faisait nuit.', 'en'],
    ['Summarize @小説/第一章.md please', 'en'],
    ['Fix 小説/第一章.md, then 資料/人物.md.', 'en'],
    ['Compare @"小説/第一章 改.md" with @資料/年表', 'en'],
    ['@小説/第一章.mdを推敲して。', 'ja'],
    ['@資料/年表', 'ja'],
    ['Была ночь.', 'en'],
  ] as const)('%s', (text, language) => {
    expect(languageOfText(text)).toBe(language)
  })

  it('is unknown without letters', () => {
    for (const text of ['', ' \n　', '1234 …!?', '。。。「」']) expect(languageOfText(text)).toBeNull()
  })

  it('is that of the end, where the author writes now', () => {
    expect(languageOfText(`${'日本語の前書き。'.repeat(100)}${'He went on and on. '.repeat(200)}`)).toBe('en')
  })
})
