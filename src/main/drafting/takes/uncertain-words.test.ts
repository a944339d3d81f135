import { expect, it } from 'vitest'
import { draftRig } from '../../../../tests/fakes/rigs/draft-rig.ts'
import { type PieceChance, uncertainWords } from './uncertain-words.ts'

/** Tokens by their text; a `?` before one makes it unlikely. */
function told(...pieces: string[]): PieceChance[] {
  return pieces.map((piece) =>
    piece.startsWith('?') ? { text: piece.slice(1), share: 0.02 } : { text: piece, share: 0.6 },
  )
}
const marked = (text: string, from: number, pieces: PieceChance[]) =>
  uncertainWords(text, from, pieces).map((word) => text.slice(word.from, word.to))

it('marks the whole word of which one token was unlikely', () => {
  expect(
    marked('雨の夜、時計が鳴った。', 0, told('雨', 'の', '夜', '、', '?時', '計', 'が', '鳴', 'った', '。')),
  ).toEqual(['時計'])
  expect(marked('The clock struck.', 0, told('The', ' cl', '?ock', ' struck', '.'))).toEqual(['clock'])
})

it('leaves the blank and the sign beside an unlikely token alone', () => {
  expect(marked('It rained, again.', 0, told('It', ' rained', '?,', '? again', '.'))).toEqual(['again'])
})

it('counts from where a branch was taken over', () => {
  expect(marked('雨の夜、雨が', 4, told('?雨', 'が'))).toEqual(['雨'])
  expect(uncertainWords('雨の夜、雨が', 4, told('?雨', 'が'))).toEqual([{ from: 4, to: 5 }])
})

it('finds its place again after characters that came in bytes', () => {
  const bytes: PieceChance[] = [
    { text: '\ufffd', share: 0.01 },
    { text: '', share: 0.01 },
    { text: '\ufffd', share: 0.01 },
  ]
  expect(marked('綾が雨を見た', 0, [...bytes, ...told('が', '?雨', 'を', '見', 'た')])).toEqual(['雨'])
})

it('marks nothing of what was cut from the beginning or the end, or taken back', () => {
  expect(
    marked(
      '彼は窓を開けた。',
      0,
      told('?\n', '?　', '彼', 'は', '?扉', '窓', 'を', '開', 'けた', '。', '?【', '?終'),
    ),
  ).toEqual([])
})

it('marks words of a take that begins with an indent or a space', () => {
  expect(marked('　雨が降る。', 0, told('\n', '　', '?雨', 'が', '降る', '。'))).toEqual(['雨'])
  expect(marked(' It rained.', 0, told(' It', '? rained', '.'))).toEqual(['rained'])
  expect(marked('It was dark.', 6, told('? dark', '.'))).toEqual(['dark'])
})

it('marks nothing without probabilities', () => {
  expect(uncertainWords('雨が降る。', 0, [])).toEqual([])
})

it.each([true, false])(
  'keeps the uncertain words with the take where the author wants them: %s',
  async (marksUncertain) => {
    const rig = draftRig({ settings: { drafting: { marksUncertain } } })
    rig.answer = async function* ({ tellsChances }) {
      yield { type: 'text', text: '雨が降る。' }
      if (tellsChances === true)
        for (const chance of told('雨', 'が', '?降', 'る', '。')) yield { type: 'chance', ...chance }
      yield { type: 'done', stopReason: 'stop' }
    }
    const run = await rig.ended(await rig.start())
    const uncertain = marksUncertain ? [{ from: 2, to: 4 }] : undefined
    expect(run.uncertain).toEqual(uncertain)
    const [take] = rig.takes.list({ workId: rig.workId, limit: 1 }).takes
    expect(take?.uncertain).toEqual(uncertain)
  },
)
