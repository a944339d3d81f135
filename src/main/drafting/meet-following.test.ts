import { describe, expect, it } from 'vitest'
import { japaneseWords } from '../../../tests/fakes/rigs/fake-draft.ts'
import { watchMeeting } from './meet-following.ts'
import { watchProse } from './prose-watch.ts'

/** Returns what stays of a draft before `following`; it arrives in pieces of `pieceLength` UTF-16 units. */
function cut(draft: string, following: string, pieceLength = 3) {
  const watch = watchMeeting(watchProse(japaneseWords, '', true), following)
  let shown = ''
  const say = (text: string) => {
    shown = watch.end === 'met' ? watch.text : shown + text
  }
  for (let at = 0; at < draft.length; at += pieceLength) say(watch.push(draft.slice(at, at + pieceLength)))
  say(watch.flush())
  return { shown, end: watch.end }
}

const following = '　静かに扉を閉めて、彼女は階段を下りた。外は雨だった。\n'

describe('a draft before other text', () => {
  it.each([1, 3, 100])('ends where it meets the beginning of that text (pieces of %i)', (length) => {
    const draft = '彼は黙って頷いた。\n　静かに扉を閉めて、彼女は階段を下りた。そして誰もいなくなった。'
    expect(cut(draft, following, length)).toEqual({ shown: '彼は黙って頷いた。\n', end: 'met' })
  })

  it.each([1, 4, 100])('ends where little is written behind it (pieces of %i)', (length) => {
    const next = '窓の外で猫が鳴いた。\n時計は五時を打った。'
    const draft = '風が立った。\n窓の外で猫が鳴いた。時計は'
    expect(cut(draft, next, length)).toEqual({ shown: '風が立った。\n', end: 'met' })
  })

  it('takes other white space, width and case as the same', () => {
    const draft = 'He nodded.\n\nTHE  DOOR was closed quietly, and she left.'
    const next = '\n\nThe door was closed quietly,\nand she left. It rained.'
    expect(cut(draft, next)).toEqual({ shown: 'He nodded.', end: 'met' })
  })

  it('ends before the sentence in which it comes in further on', () => {
    const draft = '灯りが消えた。そっと扉を閉めて、彼女は階段を下りた。外は雪だった。'
    const next = '静かに扉を閉めて、彼女は階段を下りた。外は雨だった。'
    expect(cut(draft, next)).toEqual({ shown: '灯りが消えた。', end: 'met' })
  })

  it('arrives in mid-sentence, where the caret stands in one', () => {
    expect(cut('赤い傘を差し、静かに微笑んで、歩き出した。次の日', '、静かに微笑んで、歩き出した。')).toEqual(
      {
        shown: '赤い傘を差し',
        end: 'met',
      },
    )
  })

  it('does not write a closing mark twice that stands there already', () => {
    expect(cut('もう帰ろう。」', '」と彼は言った。')).toEqual({ shown: 'もう帰ろう。', end: 'met' })
  })

  it('leaves out at its own end what the text begins with', () => {
    expect(cut('雨が上がった。静かに扉', '静かに扉を閉めて、出た。')).toEqual({
      shown: '雨が上がった。',
      end: 'met',
    })
  })

  it('keeps a text that does not meet it, and words that only look like it', () => {
    const draft = '静かな夜。彼女は階段を見た。\n「外は」'
    expect(cut(draft, following, 1)).toEqual({ shown: draft, end: null })
  })

  it('says why prose ended before', () => {
    expect(cut('雨。\n【本文】\n', following)).toMatchObject({ shown: '雨。', end: 'scaffolding' })
  })
})
