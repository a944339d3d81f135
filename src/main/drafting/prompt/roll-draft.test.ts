import { describe, expect, it } from 'vitest'
import { emptyDraftDetails } from '../../../../tests/fakes/empty-draft-details.ts'
import { findDice } from '../../../shared/text/manuscript/dice.ts'
import { fixRoll, pickWith, rollDraft, rollsBefore } from './roll-draft.ts'

const first = () => 0
const last = (count: number) => count - 1
const body = (...texts: string[]) => ({
  details: emptyDraftDetails,
  files: texts.map((text, i) => ({ path: `${i + 1}.txt`, text })),
})

describe('dice', () => {
  it('have the options between bars, quotes removed once', () => {
    expect(findDice(`{A|"B C"|'D'|  |E}{||}`)).toEqual([
      { from: 0, to: 18, source: `{A|"B C"|'D'|  |E}`, options: ['A', 'B C', 'D', 'E'] },
    ])
  })

  it('fall evenly, and never beyond the last option', () => {
    expect(
      [0, 0.33, 0.34, 0.999999].map((value) => pickWith({ next: () => value, id: () => '' })(3)),
    ).toEqual([0, 0, 1, 2])
  })
})

describe('a rolled draft', () => {
  it('has every text rolled once, trimmed, and says where', () => {
    const draft = rollDraft(
      {
        details: {
          ...emptyDraftDetails,
          title: ' {題|名} ',
          keywords: ['{夜|朝}', ' "" ', '"月"'],
          authorsNote: '\r\n次は{庭|海}へ。\r\n',
        },
        files: [{ path: 'a.txt', text: '{赤|青}い空。' }],
      },
      last,
    )
    expect(draft.fields).toMatchObject({ title: '名', keywords: ['朝', '月'], authorsNote: '次は海へ。' })
    expect(draft.body).toBe('青い空。')
    expect(draft.rolls.map(({ field, value }) => [field, value])).toEqual([
      ['title', '名'],
      ['keywords.0', '朝'],
      ['authorsNote', '海'],
      ['body', '青'],
    ])
  })

  it('joins files by one blank line and shuts out what stands before the last start command', () => {
    expect(rollDraft(body('一\n\n\n', '', '\n二', '三\n'), first).body).toBe('一\n\n二\n\n三\n')
    expect(rollDraft(body('一', '前 @break 後', '三'), first).body).toBe(' 後\n\n三')
    expect(rollDraft(body('一@//\n @endpoint 覚え', '二'), first).body).toBe('一\n \n\n二')
    expect(rollDraft(body('一', ''), first).body).toBe('一\n\n')
  })

  it('does not find a die that begins in one file and ends in another', () => {
    expect(rollDraft(body('{一|', '二}'), first).body).toBe('{一|\n\n二}')
  })

  it('gives positions of its files, so that a roll can be written into the text', () => {
    const source = '@//頭\nあ@/*x@*/い{赤|@/*緑@*/青}い{山|川}'
    const { rolls, body: rolled } = rollDraft(body('前', source), last)
    expect(rolled).toBe('前\n\nあい青い川')
    expect(rolls.map(({ path, from, to }) => [path, source.slice(from, to)])).toEqual([
      ['2.txt', '{赤|@/*緑@*/青}'],
      ['2.txt', '{山|川}'],
    ])
    expect(rolls.map(({ bodyTo }) => rolled.slice(0, bodyTo ?? 0))).toEqual([
      '前\n\nあい青',
      '前\n\nあい青い川',
    ])
    let fixed = source
    for (const roll of rolls.toReversed()) {
      const edit = fixRoll(fixed, roll)
      fixed = fixed.slice(0, edit?.from) + edit?.insert + fixed.slice(edit?.to)
    }
    expect(fixed).toBe('@//頭\nあ@/*x@*/い青い川')
    for (const roll of rolls) expect(fixRoll(fixed, roll)).toBeUndefined()
  })

  it('keeps held rolls of the same source, turn by turn, and rolls what is new or changed', () => {
    const held = rollDraft(body('{a|b}{a|b}{c|d}'), first).rolls
    expect(rollDraft(body('{a|b} {a|b} {c|d|e} {a|b}'), last, held).body).toBe('a a e b')
    const wrong = held.map((roll) => ({ ...roll, value: 'z' }))
    expect(rollDraft(body('{a|b}'), last, wrong).body).toBe('b')
  })

  it('names the rolls that stand before a place', () => {
    const { rolls } = rollDraft(
      {
        details: { ...emptyDraftDetails, plot: '{p|q}', authorsNote: '{m|n}' },
        files: [{ path: '1.txt', text: '{赤|青}い{山|川}' }],
      },
      first,
    )
    expect(rollsBefore(rolls, 2).map(({ value }) => value)).toEqual(['p', '赤'])
    expect(rollsBefore(rolls, 3).map(({ value }) => value)).toEqual(['p', '赤', '山'])
  })
})
