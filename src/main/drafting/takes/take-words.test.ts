import { describe, expect, it } from 'vitest'
import { draftRig, says } from '../../../../tests/fakes/rigs/draft-rig.ts'
import { sharedLength } from '../../../shared/text/difference/text-similarity.ts'
import { promptText } from '../../models/client/model-client.ts'

const told = { words: [{ text: '雪', share: 0.4 }], limit: 10, untold: 0, promptTokens: 9, reusedTokens: 8 }

describe('other words in a take', () => {
  it('are asked for behind the take’s own prompt, with the spaces that belong to the word', async () => {
    const rig = draftRig()
    rig.answer = says('It was  rain.')
    const run = await rig.ended(await rig.start())
    const asked: string[] = []
    rig.nextWords = async ({ prompt, conversation }) => {
      asked.push(promptText(prompt), conversation)
      return told
    }
    expect(await rig.nextWordsAt(run.takeId, 8)).toEqual({ ...told, at: 6 })
    expect(asked).toEqual([`${promptText(rig.sent[0]?.prompt ?? '')}It was`, `draft ${rig.workId}`])
  })

  it('are not told where the model has no probabilities, or is writing', async () => {
    const rig = draftRig()
    const run = await rig.ended(await rig.start())
    await expect(rig.nextWordsAt(run.takeId, 0)).rejects.toThrow('model/no-probabilities')
    rig.nextWords = async () => told
    const isWaiting = Promise.withResolvers<void>()
    rig.answer = async function* (_request, signal) {
      isWaiting.resolve()
      await new Promise<void>((done) => signal.addEventListener('abort', () => done()))
      yield { type: 'done', stopReason: 'aborted' }
    }
    const second = await rig.start()
    await isWaiting.promise
    await expect(rig.nextWordsAt(run.takeId, 0)).rejects.toThrow('run/busy')
    rig.runs.stop(second.runId)
    await rig.ended(second)
  })

  it('lead to a sibling that goes on from the chosen one; only that word is new to the model', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: '一。\n二。\n三。\n四。' }]
    rig.answer = says('\n', '雨が降る。')
    const first = await rig.ended(await rig.start())
    expect(first).toMatchObject({ lead: '\n', text: '雨が降る。' })
    rig.files = [{ path: '001.txt', text: '変わった。' }]
    rig.answer = says('やむ', '。')
    const branch = { takeId: first.takeId, at: 2, word: '静かに' }
    const second = await rig.ended(await rig.start({ branch }))
    expect(second).toMatchObject({
      lead: '\n',
      text: '雨が静かにやむ。',
      placeId: first.placeId,
      position: first.position,
    })
    const [before = '', after = ''] = rig.sent.map(({ prompt }) => promptText(prompt))
    expect(after).toBe(`${before}\n雨が静かに`)
    // One token is one character here.
    expect(sharedLength(`${before}\n雨が降る。`, after)).toBe(after.length - '静かに'.length)
    expect(rig.takes.get(first.takeId).take).toMatchObject({ text: '雨が降る。', state: 'dismissed' })
    expect(rig.takes.get(second.takeId).take).toMatchObject({ text: '雨が静かにやむ。', state: 'pending' })
  })

  it('lead to a sibling at the place where the rest stands by now', async () => {
    const rig = draftRig()
    rig.answer = says('雨。風。')
    const first = await rig.ended(await rig.start())
    const { position } = first
    rig.edit(position, { from: position, insert: '雨。' })
    await new Promise((done) => setTimeout(done, 0))
    const second = await rig.ended(await rig.start({ branch: { takeId: first.takeId, at: 2, word: '雪' } }))
    expect(second.position).toBe(position + 2)
    expect(rig.places.placeOf(second.takeId)).toMatchObject({ from: position, position: position + 2 })
  })

  it('lead to a sibling that ends at what stands behind its place, not at what was taken of it', async () => {
    const rig = draftRig()
    const head = '朝になった。\n'
    const rest = '夕方になって家に帰った。\n'
    const accepted = '彼女は町へ出て、市場で花を買った。'
    rig.files = [{ path: '001.txt', text: head + rest }]
    rig.answer = says(`${accepted}雨が降る。`)
    const first = await rig.ended(await rig.start({ endAt: head.length }))
    rig.files = [{ path: '001.txt', text: head + accepted + rest }]
    rig.edit((head + rest).length, { from: head.length, insert: accepted })
    await new Promise((done) => setTimeout(done, 0))
    const branch = { takeId: first.takeId, at: accepted.length, word: '雪' }
    rig.answer = says('が降る。夕方になって家に帰った。夜。')
    const second = await rig.ended(await rig.start({ endAt: head.length, branch }))
    expect(second).toMatchObject({ text: `${accepted}雪が降る。`, position: (head + accepted).length })
    expect(rig.takes.get(second.takeId).take.stopReason).toBe('met')
  })

  it('go on no further than the context window, and not at all where that is full', async () => {
    const rig = draftRig({ contextTokens: 600 })
    const first = await rig.ended(await rig.start())
    const branch = { takeId: first.takeId, at: 0, word: '雪'.repeat(150) }
    await rig.ended(await rig.start({ branch }))
    const sent = rig.sent[1]
    expect(promptText(sent?.prompt ?? '').length + (sent?.maxTokens ?? 0)).toBe(600)
    await expect(rig.start({ branch: { ...branch, word: '雪'.repeat(600) } })).rejects.toThrow(
      'model/context-overflow',
    )
  })
})
