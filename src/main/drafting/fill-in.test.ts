import { describe, expect, it } from 'vitest'
import { draftRig, says } from '../../../tests/fakes/rigs/draft-rig.ts'
import { promptText } from '../models/client/model-client.ts'
import { cutFollowing, findFimTokens } from './prompt/following-text.ts'

const head = ['朝になった。', '鐘が鳴った。', '鳥が飛んだ。', '窓を開けた。', '風が吹いた。'].join('\n')
const rest = '\n彼女は町へ出て、市場で花を買った。@// 赤い花\n夕方に帰った。\n@endpoint\n没にした文。'
const filled = (settings = {}) => {
  const rig = draftRig({ settings: { drafting: settings } })
  rig.files = [{ path: '001.txt', text: head + rest }]
  return rig
}
const at = { endAt: head.length }
const takesOf = (rig: ReturnType<typeof draftRig>) => rig.takes.list({ workId: rig.workId, limit: 50 }).takes

describe('continuing in the middle', () => {
  it('tells the model what follows behind the body, and ends where the answer arrives there', async () => {
    const rig = filled()
    rig.answer = says('\n少し歩いた。\n彼女は町へ出て、', '市場で花を買った。夜になった。')
    const run = await rig.ended(await rig.start(at))
    expect(run).toMatchObject({ text: '少し歩いた。', lead: '\n', state: 'finished' })
    expect(takesOf(rig)).toMatchObject([{ text: '少し歩いた。', stopReason: 'met' }])
    const sent = promptText(rig.sent[0]?.prompt ?? '')
    const told =
      '次の「この後に続く文章」の冒頭へ自然につながるように書き、その文章自体は書かないでください。\n【この後に続く文章】\n```\n彼女は町へ出て、市場で花を買った。\n夕方に帰った。\n```\n鳥が飛んだ。'
    expect(sent).toContain(told)
    expect(sent.indexOf('【本文】')).toBeLessThan(sent.indexOf(told))
    expect(sent.indexOf(told)).toBeLessThan(sent.indexOf('風が吹いた。'))
    expect(sent).not.toMatch(/赤い花|没にした文/)
    // The model may end its answer by itself once it leads up to the following text.
    expect(rig.sent[0]?.isEosBanned).toBe(false)
  })

  it('leaves no take where the answer repeats the following text from its very beginning', async () => {
    const rig = filled()
    rig.answer = says('市場で花', 'を買った。', '夕方に帰った。夜になった。')
    expect(await rig.ended(await rig.start(at))).toMatchObject({ text: '', state: 'finished' })
    expect(takesOf(rig).map(({ text, stopReason }) => [text, stopReason])).toEqual([['', 'met']])
  })

  it('uses the tokens of a model that was taught to fill in, unless the author wants an instruction', async () => {
    const fim = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>']
    for (const [followingText, isFim] of [
      ['auto', true],
      ['instruction', false],
    ] as const) {
      const rig = filled({ followingText })
      rig.details = { title: '花' }
      rig.ownTokens = fim
      await rig.ended(await rig.start(at))
      const sent = promptText(rig.sent[0]?.prompt ?? '')
      expect(sent.startsWith('<|fim_prefix|>')).toBe(isFim)
      if (!isFim) continue
      expect(sent).toBe(
        `<|fim_prefix|># タイトル:\n花\n\n${head}<|fim_suffix|>\n彼女は町へ出て、市場で花を買った。\n夕方に帰った。<|fim_middle|>`,
      )
      expect(rig.sent[0]?.prompt.filter(({ isSpecial }) => isSpecial).map(({ text }) => text)).toEqual(fim)
    }
  })

  it('sends what it always sent at the end of a text, and where nothing is to be told', async () => {
    const rig = filled({ followingText: 'none' })
    rig.answer = says('\n少し歩いた。\n彼女は町へ出て、市場で花を買った。夜。')
    // A take also ends before text that the prompt did not hold.
    expect(await rig.ended(await rig.start(at))).toMatchObject({ text: '少し歩いた。' })
    expect(promptText(rig.sent[0]?.prompt ?? '')).not.toContain('この後に続く')
    const end = draftRig()
    await end.ended(await end.start())
    expect(promptText(end.sent[0]?.prompt ?? '')).not.toContain('この後に続く')
    expect(end.sent[0]?.isEosBanned).toBe(true)
  })

  it('keeps all before what follows the same from take to take, so that a server reads only the end anew', async () => {
    const rig = filled()
    await rig.ended(await rig.start(at))
    const written = `${head}\n少し歩いた。\n猫を見た。`
    rig.files = [{ path: '001.txt', text: written + rest }]
    await rig.ended(await rig.start({ endAt: written.length }))
    const [before = '', after = ''] = rig.sent.map(({ prompt }) => promptText(prompt))
    let shared = 0
    while (shared < before.length && before[shared] === after[shared]) shared++
    // The body of the first request is a prefix of the second's.
    expect(before.slice(0, shared)).toContain('朝になった。\n鐘が鳴った。\n')
    expect(shared).toBeGreaterThanOrEqual(before.indexOf('\n```\n次の「この後'))
  })
})

describe('the text that follows', () => {
  it('takes an eighth of the room and 1,000 characters at most, and ends with a sentence', () => {
    const text = '雨が降る。'.repeat(500)
    expect(cutFollowing(text, 100_000, (each) => each.length)).toBe('雨が降る。'.repeat(200))
    expect(cutFollowing(text, 800, (each) => each.length)).toBe('雨が降る。'.repeat(20))
    expect(cutFollowing('雨。\n', 800, (each) => each.length)).toBe('雨。')
  })

  it('is told by tokens only where each of them is one', async () => {
    const signal = new AbortController().signal
    const counting = (own: readonly string[]) => ({
      countTokens: async (prompt: string | readonly { text: string }[]) => {
        const text = typeof prompt === 'string' ? prompt : prompt.map((one) => one.text).join('')
        return own.includes(text) ? 1 : text.length
      },
    })
    const starcoder = ['<fim_prefix>', '<fim_suffix>', '<fim_middle>']
    expect(await findFimTokens(counting(starcoder), signal)).toMatchObject({ middle: '<fim_middle>' })
    expect(await findFimTokens(counting(starcoder.slice(0, 2)), signal)).toBeUndefined()
    expect(await findFimTokens({ countTokens: null }, signal)).toBeUndefined()
  })
})
