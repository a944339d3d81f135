import { describe, expect, it } from 'vitest'
import { eventually } from '../../../tests/fakes/eventually.ts'
import { draftRig, says } from '../../../tests/fakes/rigs/draft-rig.ts'
import { AppError } from '../../shared/errors.ts'
import { promptText } from '../models/client/model-client.ts'

const never = new AbortController().signal
type Rig = ReturnType<typeof draftRig>
const request = (rig: Rig, change: object = {}) => ({
  workId: rig.workId,
  path: '001.txt',
  mode: 'generate' as const,
  ideaTarget: 'all' as const,
  isEstimateAccepted: false,
  ...change,
})
const takesOf = (rig: Rig) => rig.takes.list({ workId: rig.workId, limit: 50 }).takes.toReversed()
const stateOf = async (rig: Rig) => {
  for await (const { endless } of rig.endless.watch(rig.workId, never)) return endless
  return null
}

/** The model says one text after another; after the last one it waits to be stopped. */
function answers(rig: Rig, ...texts: string[]): void {
  rig.answer = async function* (asked, signal) {
    const text = texts.shift()
    if (text !== undefined) return yield* says(text)(asked, signal)
    yield { type: 'text', text: '書きかけ' }
    if (!signal.aborted) await new Promise<void>((done) => signal.addEventListener('abort', () => done()))
    yield { type: 'done', stopReason: 'aborted' }
  }
}

describe('endless generation', () => {
  it('makes takes of one place until it is stopped, and says at which it is', async () => {
    const rig = draftRig()
    answers(rig, '一。', '二。')
    const run = await rig.endless.start(request(rig), never)
    await eventually(() => expect(takesOf(rig)).toHaveLength(3))
    expect(takesOf(rig).map(({ text, placeId }) => [text, placeId])).toEqual([
      ['一。', run.takeId],
      ['二。', run.takeId],
      ['書きかけ', run.takeId],
    ])
    expect(await stateOf(rig)).toMatchObject({ block: 3, placeId: run.takeId, end: null })
    rig.endless.stop(rig.workId)
    await eventually(async () => expect(await stateOf(rig)).toMatchObject({ end: 'stopped' }))
    expect(rig.runs.isBusy()).toBe(false)
  })

  it('ends with as many takes as were asked for, all from one prompt', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: '{赤|青}い花。\n' }]
    rig.dice = [0.1, 0.5, 0.9, 0.9, 0.9, 0.9]
    answers(rig, '一。', '二。', '三。', '四。')
    await rig.endless.start(request(rig, { takes: 3 }), never)
    await eventually(async () => expect(await stateOf(rig)).toMatchObject({ total: 3, end: 'complete' }))
    expect(takesOf(rig).map(({ text }) => text)).toEqual(['一。', '二。', '三。'])
    expect(new Set(rig.sent.map(({ prompt }) => promptText(prompt))).size).toBe(1)
    expect(new Set(rig.sent.map(({ seed }) => seed)).size).toBeGreaterThan(1)
  })

  it('of so many takes ends with the one that was taken', async () => {
    const rig = draftRig()
    answers(rig, '一。')
    await rig.endless.start(request(rig, { takes: 3 }), never)
    await eventually(() => expect(takesOf(rig)).toHaveLength(2))
    const [first] = takesOf(rig)
    rig.endless.accepted(rig.takes.decide(first?.takeId ?? '', { state: 'inserted', acceptedLength: 2 }))
    await eventually(async () => expect(await stateOf(rig)).toMatchObject({ end: 'stopped' }))
    expect(takesOf(rig)).toHaveLength(2)
  })

  it('goes on behind what was taken, by a new prompt', async () => {
    const rig = draftRig({ settings: { drafting: { endlessGenerate: 'manual' } } })
    answers(rig, '一。')
    await rig.endless.start(request(rig), never)
    await eventually(() => expect(takesOf(rig)).toHaveLength(2))
    const text = rig.files[0]?.text ?? ''
    rig.files = [{ path: '001.txt', text: `${text}一。` }]
    rig.edit(text.length, { from: text.length, insert: '一。' })
    const [first] = takesOf(rig)
    rig.endless.accepted(rig.takes.decide(first?.takeId ?? '', { state: 'inserted', acceptedLength: 2 }))
    await eventually(() => expect(takesOf(rig)).toHaveLength(3))
    const behind = takesOf(rig)[2]
    expect(behind).toMatchObject({ position: text.length + 2, placeId: behind?.takeId })
    expect(promptText(rig.sent[2]?.prompt ?? '')).toContain('一。')
    expect(await stateOf(rig)).toMatchObject({ block: 1, placeId: behind?.takeId })
    rig.endless.stop(rig.workId)
  })

  it('goes on behind a block that was taken while it streamed, though more of it has come since', async () => {
    const rig = draftRig({ settings: { drafting: { endlessGenerate: 'manual' } } })
    answers(rig)
    await rig.endless.start(request(rig), never)
    await eventually(() => expect(takesOf(rig)).toHaveLength(1))
    const text = rig.files[0]?.text ?? ''
    rig.files = [{ path: '001.txt', text: `${text}書き` }]
    rig.edit(text.length, { from: text.length, insert: '書き' })
    const [first] = takesOf(rig)
    const accepted = rig.takes.decide(first?.takeId ?? '', { state: 'inserted', acceptedLength: 2 })
    rig.endless.accepted(accepted, true)
    await eventually(() => expect(takesOf(rig)).toHaveLength(2))
    const behind = takesOf(rig)[1]
    expect(behind).toMatchObject({ position: text.length + 2, placeId: behind?.takeId })
    expect(promptText(rig.sent[1]?.prompt ?? '')).toContain('書き')
    rig.endless.stop(rig.workId)
  })

  it.each([
    ['immediate', '青'],
    ['manual', '赤'],
  ] as const)('%s: the second block has %s of the dice', async (endlessGenerate, second) => {
    const rig = draftRig({ settings: { drafting: { endlessGenerate } } })
    rig.files = [{ path: '001.txt', text: '{赤|青}い花。\n' }]
    // Dice and seeds by turns.
    rig.dice = [0, 0, 0.9, 0.9]
    answers(rig, '一。')
    await rig.endless.start(request(rig), never)
    await eventually(() => expect(rig.sent).toHaveLength(2))
    expect(promptText(rig.sent[0]?.prompt ?? '')).toContain('赤い花')
    expect(promptText(rig.sent[1]?.prompt ?? '')).toContain(`${second}い花`)
    rig.endless.stop(rig.workId)
  })

  it('ends with the word for it: a failure, a model that writes nothing, a stop of its block', async () => {
    const rig = draftRig()
    const ended = async () => {
      await rig.endless.start(request(rig), never)
      await eventually(async () => expect((await stateOf(rig))?.end).not.toBeNull())
      return stateOf(rig)
    }
    rig.answer = async function* () {
      yield { type: 'text', text: '途中' }
      throw new AppError({ code: 'model/cut', address: 'a' })
    }
    expect(await ended()).toMatchObject({ end: 'failed', error: { code: 'model/cut' } })
    rig.answer = says()
    expect(await ended()).toMatchObject({ end: 'empty' })
    rig.answer = says('\n【本文】\n雨')
    expect(await ended()).toMatchObject({ end: 'headings' })
    answers(rig)
    const run = await rig.endless.start(request(rig), never)
    rig.runs.stop(run.runId)
    await eventually(async () => expect(await stateOf(rig)).toMatchObject({ end: 'stopped' }))
  })

  it('ends with the word for it where its chapter is removed, also with the first prompt again', async () => {
    const rig = draftRig({ settings: { drafting: { endlessGenerate: 'manual' } } })
    answers(rig, '一。', '二。', '三。', '四。', '五。')
    await rig.endless.start(request(rig), never)
    await eventually(() => expect(takesOf(rig).length).toBeGreaterThan(0))
    rig.files = []
    await eventually(async () =>
      expect(await stateOf(rig)).toMatchObject({
        end: 'failed',
        error: { code: 'file/not-found', path: '001.txt' },
      }),
    )
    expect(rig.runs.isBusy()).toBe(false)
  })

  it.each([
    ['with a prompt of its own', {}, 'immediate'],
    ['with the first prompt again', {}, 'manual'],
    ['for so many takes', { takes: 3 }, 'immediate'],
  ] as const)('goes on in a chapter that was renamed, %s', async (_, wanted, endlessGenerate) => {
    const rig = draftRig({ settings: { drafting: { endlessGenerate } } })
    const renamed = Promise.withResolvers<void>()
    rig.answer = async function* (asked, signal) {
      await renamed.promise
      yield* says('続き。')(asked, signal)
    }
    await rig.endless.start(request(rig, wanted), never)
    await eventually(() => expect(rig.sent).toHaveLength(1))
    rig.files = rig.files.map(({ text }) => ({ path: '改題.txt', text }))
    for (const moved of [rig.takes, rig.runs, rig.endless]) moved.movePath(rig.workId, '001.txt', '改題.txt')
    renamed.resolve()
    await eventually(() => expect(takesOf(rig)).toHaveLength(3))
    expect(new Set(takesOf(rig).map(({ path }) => path))).toEqual(new Set(['改題.txt']))
    expect(await stateOf(rig)).toMatchObject({ path: '改題.txt', error: null })
    rig.endless.stop(rig.workId)
  })

  it('is one at a time in a work', async () => {
    const rig = draftRig()
    answers(rig)
    await rig.endless.start(request(rig), never)
    await expect(rig.endless.start(request(rig), never)).rejects.toThrow('run/busy')
    rig.endless.stop(rig.workId)
  })
})

describe('an idea', () => {
  it('needs no chapter, stops as asked and belongs to the idea that it completes', async () => {
    const rig = draftRig({
      settings: { drafting: { ideaSamplerPresetId: 'ideas', outputTokensIdea: 900 } },
    })
    rig.files = []
    rig.answer = says('# タイトル:\n刻の迷宮\n# プロット:\n逃げる')
    const all = await rig.ended(await rig.start({ mode: 'idea', path: '' }))
    expect(rig.sent[0]).toMatchObject({ maxTokens: 900, isEosBanned: false })
    expect(rig.sent[0]?.sampler.temperature).toBe(1.2)
    rig.answer = says('# タイトル:\n別の題\n')
    const one = await rig.ended(
      await rig.start({ mode: 'idea', path: '', ideaTarget: 'title', ideaOf: all.placeId }),
    )
    expect(one).toMatchObject({ text: '# タイトル:\n別の題', placeId: all.takeId, ideaTarget: 'title' })
    expect(rig.sent[1]?.stops).toContain('\n# キーワード:')
    expect(takesOf(rig).map(({ state }) => state)).toEqual(['pending', 'pending'])
  })
})

describe('the place of a take', () => {
  it('is that of the one before at the same position, also after edits before it', async () => {
    const rig = draftRig()
    const first = await rig.ended(await rig.start())
    const second = await rig.ended(await rig.start())
    expect(second.placeId).toBe(first.takeId)
    const text = rig.files[0]?.text ?? ''
    rig.files = [{ path: '001.txt', text: `序。${text}` }]
    rig.edit(text.length, { from: 0, insert: '序。' })
    const third = await rig.ended(await rig.start())
    expect(third.placeId).toBe(first.takeId)
    rig.takes.decide(third.takeId, { state: 'inserted', acceptedLength: 1 })
    expect((await rig.ended(await rig.start())).placeId).not.toBe(first.takeId)
  })
})
