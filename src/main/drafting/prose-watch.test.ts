import { describe, expect, it } from 'vitest'
import { japaneseWords } from '../../../tests/fakes/rigs/fake-draft.ts'
import { watchProse } from './prose-watch.ts'

/** Returns what stays of an answer, after a check that the length of its pieces makes no difference. */
function watched(
  answer: string,
  { body = '', startsLine = true } = {},
): { text: string; end: string | null } {
  const results = [1, 2, 5, 1000].map((size) => {
    const watch = watchProse(japaneseWords, body, startsLine)
    let shown = ''
    for (let at = 0; at < answer.length; at += size) shown += watch.push(answer.slice(at, at + size))
    shown += watch.flush()
    expect(shown.startsWith(watch.text)).toBe(true)
    return { text: watch.text, end: watch.end }
  })
  for (const result of results) expect(result).toEqual(results[0])
  return results[0] ?? { text: '', end: '' }
}

describe('a draft that stops being prose', () => {
  it.each([
    ['a fence alone', '雨が降る。\n\n```\n雨が降る。\n```\n', '雨が降る。'],
    ['a fence with a name', '雨が降る。\n```text\n', '雨が降る。'],
    ['a fence at the very end', '雨が降る。\n```', '雨が降る。'],
    ['a second fence, where one opens it', '```text\n雨が降る。\n```\n以上です。', '雨が降る。'],
    ['a second fence, with nothing between them', '\n```\n\n```\n', ''],
    ['a heading behind the fence that opens it', '```\n【本文】\n雨', ''],
    ['a fence that is all of it', '```', ''],
    ['our heading of the text', '雨が降る。\n【本文】\n雨', '雨が降る。'],
    ['our heading of the note', '雨が降る。\n\n【この先の展開についての指示・メモ】\n', '雨が降る。'],
    ['a heading of the details', '雨が降る。\n# タイトル:\n夜', '雨が降る。'],
    ['the heading of the summaries', '雨が降る。\n# これまでのあらすじ:\n夜', '雨が降る。'],
    ['a heading written in another way', '雨が降る。\n　#タイトル：夜', '雨が降る。'],
  ])('ends before %s', (_, answer, text) => {
    expect(watched(answer)).toEqual({ text, end: 'scaffolding' })
  })

  it.each([
    ['prose', '雨が降る。\n\n　彼は【本文】と言った。\n「```」\n'],
    ['a heading of the author', '雨が降る。\n# 第二章\n風。\n【注意】\n'],
    ['half of a heading at its end', '雨が降る。\n【本'],
    ['blank lines at its end', '雨が降る。\n\n\n'],
    ['code in a line', '雨。\n`a`と``b``。\n'],
    ['a short cry, seven times', `${'ドン。\n'.repeat(7)}静かになった。`],
  ])('leaves %s as it is', (_, answer) => {
    expect(watched(answer)).toEqual({ text: answer, end: null })
  })

  it.each([
    ['that stands on the first line', '```\n雨が降る。\n風。'],
    ['with a name', '```text\n雨が降る。\n風。'],
    ['behind blank lines', '\n\n　```\n雨が降る。\n風。'],
  ])('leaves out a fence %s, and no prose', (_, answer) => {
    for (const startsLine of [true, false])
      expect(watched(answer, { startsLine })).toEqual({ text: '雨が降る。\n風。', end: null })
  })

  it('has no text where a fence is all that goes on with a begun line', () => {
    expect(watched('```', { startsLine: false })).toEqual({ text: '', end: 'scaffolding' })
  })

  it('leaves what the manuscript itself holds', () => {
    const answer = '続き。\n```\nコード\n```\n【本文】\n'
    expect(watched(answer, { body: '前。\n```\n古い\n```\n【本文】\n' })).toEqual({ text: answer, end: null })
  })

  it('knows a heading only at the start of a line', () => {
    expect(watched('【本文】と書いた。', { startsLine: false })).toEqual({
      text: '【本文】と書いた。',
      end: null,
    })
    expect(watched('【本文】と書いた。')).toEqual({ text: '', end: 'scaffolding' })
  })

  it('ends where one line comes again and again, and keeps it once', () => {
    const line = '彼は静かに歩いていった。\n'
    expect(watched(`雨。\n${line.repeat(40)}`)).toEqual({
      text: `雨。\n${line.trimEnd()}`,
      end: 'repetition',
    })
    expect(watched(`雨。\n\n${`${line}\n`.repeat(40)}`)).toEqual({
      text: `雨。\n\n${line.trimEnd()}`,
      end: 'repetition',
    })
  })
})
