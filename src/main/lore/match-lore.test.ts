import { describe, expect, it } from 'vitest'
import { type LoreEntry, LoreSettings } from '../../shared/domain/lore/lore.ts'
import {
  findKey,
  foldedPattern,
  isInForce,
  matchEntry,
  readScanText,
  sentenceAround,
  shortSentence,
  sourceSpan,
} from './match-lore.ts'

const entry = (settings: Partial<LoreEntry>): LoreEntry => ({
  ...LoreSettings.parse({}),
  path: '資料/綾瀬.md',
  name: '綾瀬',
  text: '　綾瀬は書生である。',
  textFrom: 0,
  problems: [],
  ...settings,
})
const found = (text: string, key: string) => {
  const hit = findKey(readScanText(text), key)
  return hit && text.slice(hit.from, hit.to)
}

describe('a key', () => {
  it.each([
    ['綾瀬《あやせ》さんが来た。', '綾瀬さん', '綾瀬《あやせ》さん'],
    ['｜ＡＬＩＣＥ《アリス》は笑う。', 'alice', 'ＡＬＩＣＥ《アリス》'],
    ['半角のｱﾘｽとｶﾞﾗｽ。', 'ガラス', 'ｶﾞﾗｽ'],
    ['それは三毛猫だった。', '猫', '猫'],
    ['Alice met Bob.', 'bob', 'Bob'],
    ['Bobbin and Boba.', 'bob', undefined],
    ['主人公Aliceは走る。', 'alice', 'Alice'],
    ['e\u0301lan vital', 'élan', 'e\u0301lan'],
    ['重さは㌔で量る。', 'ロ', undefined],
    ['何もない。', ' ', undefined],
  ])('in %s, %s is %s', (text, key, wanted) => {
    expect(found(text, key)).toBe(wanted)
  })

  it('is shown in the part around it where its sentence is long', () => {
    const shown = shortSentence(`${'雨が降り、'.repeat(60)}猫が鳴き、${'風が吹き、'.repeat(60)}。`, '猫')
    expect(shown).toMatch(/^….*雨が降り、猫が鳴き、風が吹き、.*…$/)
    expect(shown.length).toBeLessThanOrEqual(202)
    expect(shortSentence(' 猫が鳴いた。', '猫')).toBe('猫が鳴いた。')
    const long = '雨が降り、'.repeat(100)
    expect(shortSentence(long, long).length).toBeLessThanOrEqual(202)
  })

  it('is found at its last place, and its sentence can be shown', () => {
    const text = '　猫がいた。\n　昨日の猫は白い。今日の猫は黒い。\n'
    const hit = findKey(readScanText(text), '猫')
    expect(hit && sentenceAround(text, hit)).toBe('今日の猫は黒い。')
  })
})

describe('an entry', () => {
  const scan = readScanText('雨の夜、綾瀬は時計塔にいた。')
  const hitOf = (key: string) => findKey(scan, key)

  it('matches by one key, where all of `also` and none of `never` match', () => {
    expect(matchEntry(entry({ keys: ['林', '綾瀬'] }), 1, hitOf)?.key).toBe('綾瀬')
    expect(matchEntry(entry({ keys: ['綾瀬'], also: ['雨', '時計塔'] }), 1, hitOf)?.key).toBe('綾瀬')
    expect(matchEntry(entry({ keys: ['綾瀬'], also: ['雨', '雪'] }), 1, hitOf)).toBeUndefined()
    expect(matchEntry(entry({ keys: ['綾瀬'], never: ['雨'] }), 1, hitOf)).toBeUndefined()
  })

  it('is told in its chapters alone, and never while it is switched off', () => {
    const ranged = entry({ keys: ['綾瀬'], range: { from: 3, to: null } })
    expect([2, 3, 9, null].map((chapterNumber) => isInForce(ranged, chapterNumber))).toEqual([
      false,
      true,
      true,
      true,
    ])
    expect(isInForce(entry({ enabled: false, always: true }), 1)).toBe(false)
  })
})

describe('a lorebook of a thousand entries', () => {
  it('folds the text once, whatever the number of keys', () => {
    const keys = Array.from({ length: 3000 }, (_, i) => `名前${i}`)
    const scan = readScanText(`${'　長い夜のはじまりであった。\n'.repeat(300)}名前2999が来た。`)
    expect(keys.filter((key) => findKey(scan, key) !== undefined)).toEqual(['名前2999'])
  })
})

it.each([
  ['AI', 'AI'],
  ['ＡＩ', 'AI'],
  ['（仮）+', String.raw`\x28仮\x29+`],
  ['[０－９]年', String.raw`[0\x2d9]年`],
  [String.raw`ｶﾞ\uFF21\u{FF22}`, 'ガAB'],
  [String.raw`雨\u3000傘\u96E8`, String.raw`雨\x20傘\u96E8`],
  [String.raw`\\u3000\(\ud83d\ude00\p{Lu}`, String.raw`\\u3000\(\ud83d\ude00\p{Lu}`],
])('the expression %s is folded', (source, folded) => {
  expect(foldedPattern(`/${source}/`)).toBe(folded)
})

it('a place that begins within a folded character is that of the whole character', () => {
  const scan = readScanText('重さは㌔で量る。')
  const from = scan.folded.indexOf('ロ')
  expect(sourceSpan(scan, { from, to: from + 1 })).toEqual({ from: 3, to: 4 })
})
