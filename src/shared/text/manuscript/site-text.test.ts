import { describe, expect, it } from 'vitest'
import { blankLineRules, type Site, sites } from '../../domain/work/publishing.ts'
import { siteCount, siteText } from './site-text.ts'

const ten = '一二三四五六七八九十'
const kana10 = 'あいうえおかきくけこ'
const open = '※［＃始め二重山括弧、1-1-52］'
const close = '※［＃終わり二重山括弧、1-1-53］'

/**
 * A manuscript's line, and what Kakuyomu, Narou, Aozora and plain text get. A missing column is the line as it stands.
 *
 * Sources: https://kakuyomu.jp/help/entry/notation · https://syosetu.com/man/ruby/ and helpcenter/helppage 42, 43 ·
 * https://www.aozora.gr.jp/annotation/ and https://www.aozora.gr.jp/KOSAKU/MANUAL_2.html
 */
const table: [source: string, ...wanted: (string | undefined)[]][] = [
  ['漢字《かんじ》', undefined, undefined, undefined, '漢字（かんじ）'],
  ['｜漢字《かんじ》', '漢字《かんじ》', '漢字《かんじ》', '漢字《かんじ》', '漢字（かんじ）'],
  ['|漢字《かんじ》', '漢字《かんじ》', '漢字《かんじ》', '漢字《かんじ》', '漢字（かんじ）'],
  ['｜お伽話《フェアリーテイル》', undefined, undefined, undefined, 'お伽話（フェアリーテイル）'],
  ['|お伽話《はなし》', '｜お伽話《はなし》', '｜お伽話《はなし》', '｜お伽話《はなし》', 'お伽話（はなし）'],
  [
    'わたしは｜山田太郎《やまだたろう》と申します。',
    'わたしは山田太郎《やまだたろう》と申します。',
    'わたしは山田太郎《やまだたろう》と申します。',
    'わたしは山田太郎《やまだたろう》と申します。',
    'わたしは山田太郎（やまだたろう）と申します。',
  ],
  [
    'met his ｜fate《doom’s day》.',
    undefined,
    undefined,
    'met his fate《doom’s day》.',
    'met his fate (doom’s day).',
  ],
  ['東京｜都庁《とちょう》', undefined, undefined, undefined, '東京都庁（とちょう）'],
  [
    '冴えない｜彼女《ヒロイン》の｜育てかた《そだてかた》',
    '冴えない彼女《ヒロイン》の｜育てかた《そだてかた》',
    '冴えない彼女《ヒロイン》の｜育てかた《そだてかた》',
    '冴えない彼女《ヒロイン》の｜育てかた《そだてかた》',
    '冴えない彼女（ヒロイン）の育てかた（そだてかた）',
  ],
  ['佐々木《ささき》', undefined, '｜佐々木《ささき》', undefined, '佐々木（ささき）'],
  ['〆切《しめきり》', '｜〆切《しめきり》', '｜〆切《しめきり》', undefined, '〆切（しめきり）'],
  ['𠮟《しか》る', undefined, undefined, undefined, '𠮟（しか）る'],
  [
    'これは《《傍点》》です',
    undefined,
    'これは｜傍《・》｜点《・》です',
    'これは傍点［＃「傍点」に傍点］です',
    'これは傍点です',
  ],
  ['《《逃げろ》》', undefined, '｜逃《・》｜げ《・》｜ろ《・》', '逃げろ［＃「逃げろ」に傍点］', '逃げろ'],
  [
    '《《の》》《《中》》',
    undefined,
    '｜の《・》｜中《・》',
    'の［＃「の」に傍点］中［＃「中」に傍点］',
    'の中',
  ],
  [
    '《《「今」》》',
    undefined,
    '｜「《・》｜今《・》｜」《・》',
    '［＃傍点］「今」［＃傍点終わり］',
    '「今」',
  ],
  ['《《空 白》》', undefined, '｜空《・》 ｜白《・》', '空 白［＃「空 白」に傍点］', '空 白'],
  ['《《A&B》》', undefined, '｜A《・》&｜B《・》', 'A&B［＃「A&B」に傍点］', 'A&B'],
  ['｜《竜》の火', '《竜》の火', '《竜》の火', `${open}竜${close}の火`, '《竜》の火'],
  ['漢字｜《そのまま》', undefined, undefined, `漢字${open}そのまま${close}`, '漢字《そのまま》'],
  ['《名もなき剣》を抜く', undefined, undefined, `${open}名もなき剣${close}を抜く`],
  ['ひらがな《かな》', undefined, undefined, `ひらがな${open}かな${close}`],
  ['Wi-Fi《ワイファイ》', undefined, 'Wi-Fi｜《ワイファイ》', `Wi-Fi${open}ワイファイ${close}`],
  ['｜Wi-Fi《ワイファイ》', undefined, undefined, 'Wi-Fi《ワイファイ》', 'Wi-Fi（ワイファイ）'],
  ['カタカナ｜テレビ《TV》', undefined, undefined, undefined, 'カタカナテレビ（TV）'],
  ['仮名まじり｜の《ノ》', undefined, undefined, undefined, '仮名まじりの（ノ）'],
  ['青い｜テレビ《はこ》', undefined, undefined, '青いテレビ《はこ》', '青いテレビ（はこ）'],
  [
    '霧の｜ロンドン警視庁《スコットランドヤード》',
    undefined,
    undefined,
    undefined,
    // ten characters in the reading
    '霧のロンドン警視庁（スコットランドヤード）',
  ],
  [
    `｜${ten}${ten}《よみ》`,
    `${ten}${ten}《よみ》`,
    `${ten}${ten}｜（よみ）`,
    `${ten}${ten}《よみ》`,
    `${ten}${ten}（よみ）`,
  ],
  [
    `｜${ten}${ten}一《よみ》`,
    `${ten}${ten}一（よみ）`,
    `${ten}${ten}一｜（よみ）`,
    `${ten}${ten}一《よみ》`,
    `${ten}${ten}一（よみ）`,
  ],
  [`${ten}《${kana10}》`, undefined, undefined, undefined, `${ten}（${kana10}）`],
  [`漢字《${kana10}さ》`, undefined, `漢字｜（${kana10}さ）`, undefined, `漢字（${kana10}さ）`],
  [
    `漢字《${kana10.repeat(5)}》`,
    undefined,
    `漢字（${kana10.repeat(5)}）`,
    undefined,
    `漢字（${kana10.repeat(5)}）`,
  ],
  [
    `漢字《${kana10.repeat(5)}さ》`,
    `漢字（${kana10.repeat(5)}さ）`,
    `漢字（${kana10.repeat(5)}さ）`,
    undefined,
    `漢字（${kana10.repeat(5)}さ）`,
  ],
  [
    '大《おお》｜川《かわ》',
    '大《おお》川《かわ》',
    '大《おお》川《かわ》',
    '大《おお》川《かわ》',
    '大（おお）川（かわ）',
  ],
  ['二《ふた》つの光《ひかり》', undefined, undefined, undefined, '二（ふた）つの光（ひかり）'],
  ['｜A&B《えー》', undefined, 'A&B｜（えー）', 'A&B《えー》', 'A&B（えー）'],
  ['｜彼《"かれ"》', '彼《"かれ"》', '彼（"かれ"）', '彼《"かれ"》', '彼（"かれ"）'],
  ['心情（なんてことだ）', undefined, '心情｜（なんてことだ）'],
  ['心情（何てことだ）'],
  ['GW（ゴールデン・ウィーク）', undefined, 'GW｜（ゴールデン・ウィーク）'],
  ['彼は（ちょっと）笑った'],
  ['漢字(かんじ)', undefined, '漢字｜(かんじ)'],
  ['Ａ｜Ｂ', undefined, undefined, 'Ａ※［＃縦線、1-1-35］Ｂ'],
  ['※注意', undefined, undefined, '※［＃米印、1-2-8］注意'],
  [
    '［＃ここ］',
    undefined,
    undefined,
    '※［＃始め角括弧、1-1-46］※［＃井げた、1-1-84］ここ※［＃終わり角括弧、1-1-47］',
  ],
  ['〔甲〕', undefined, undefined, '※［＃始め亀甲括弧、1-1-44］甲※［＃終わり亀甲括弧、1-1-45］'],
  ['改行《また\nぐ》', '改行｜《また\nぐ》', '改行｜《また\nぐ》', `改行${open}また\nぐ${close}`],
  ['　全角の字下げ。'],
  ['雨が降る。@// 後で直す', '雨が降る。', '雨が降る。', '雨が降る。', '雨が降る。'],
  ['@// 一行\n本文。', '本文。', '本文。', '本文。', '本文。'],
  ['雨@/* 傘は？ @*/の朝', '雨の朝', '雨の朝', '雨の朝', '雨の朝'],
  ['前の晩@break次の朝', '前の晩次の朝', '前の晩次の朝', '前の晩次の朝', '前の晩次の朝'],
  ['mail@break.jp'],
  ['{雨|雪}の朝', '雨の朝', '雨の朝', '雨の朝', '雨の朝'],
]

describe('a text for each site', () => {
  const columns: Site[] = ['kakuyomu', 'narou', 'aozora', 'plain']
  for (const [index, site] of columns.entries()) {
    it.each(table)(`${site}: %s`, (source, ...wanted) => {
      expect(siteText(source, site, { blankLines: 'keep', dice: {} })).toBe(`${wanted[index] ?? source}\n`)
    })
  }

  it('has at least forty lines', () => expect(table.length).toBeGreaterThanOrEqual(40))
})

describe('blank lines', () => {
  const source = '\n\n一\n\n\n二\n三\n\n'
  it.each([
    ['keep', '一\n\n\n二\n三\n'],
    ['single', '一\n\n二\n三\n'],
    ['between', '一\n\n二\n\n三\n'],
    ['none', '一\n二\n三\n'],
  ] as const)('%s', (blankLines, wanted) => {
    expect(siteText(source, 'kakuyomu', { blankLines, dice: {} })).toBe(wanted)
  })

  it('of a text without a word leave nothing', () => {
    for (const blankLines of blankLineRules)
      for (const site of sites) expect(siteText('\n \n', site, { blankLines, dice: {} })).toBe('')
  })
})

describe('signs that do not end', () => {
  it.each(['{', '《', '《《', '｜', '｜漢《'])('are read in one pass: %s', { timeout: 60_000 }, (sign) => {
    const text = sign.repeat(200_000)
    expect(siteText(text, 'kakuyomu', { blankLines: 'keep', dice: {} }).length).toBeGreaterThanOrEqual(
      text.length,
    )
  })
})

describe('dice and the count', () => {
  it('take what was chosen, and the first option where the choice is none of them', () => {
    const text = (dice: Record<string, string>) =>
      siteText('{雨|雪}の{朝|夜}', 'plain', { blankLines: 'keep', dice })
    expect(text({ '{雨|雪}': '雪', '{朝|夜}': '昼' })).toBe('雪の朝\n')
    expect(text({})).toBe('雨の朝\n')
  })

  it('is without white space, commands, comments, readings and signs', () => {
    expect(siteCount('　｜山田太郎《やまだたろう》は、《《走った》》。\n@// 走る？\n@break\n', {})).toBe(10)
    expect(siteCount('{雨|大雪}', { '{雨|大雪}': '大雪' })).toBe(2)
    expect(siteCount('', {})).toBe(0)
  })
})
