import { describe, expect, it } from 'vitest'
import { draftBench, says } from '../../../tests/fakes/draft-bench.ts'
import { eventually } from '../../../tests/fakes/eventually.ts'
import { AppError } from '../../shared/errors.ts'
import { promptText } from '../models/model-client.ts'

const never = new AbortController().signal
type Bench = ReturnType<typeof draftBench>
const request = (bench: Bench, change: object = {}) => ({
  workId: bench.workId,
  path: '001.txt',
  mode: 'generate' as const,
  ideaTarget: 'all' as const,
  isEstimateAccepted: false,
  ...change,
})
const takesOf = (bench: Bench) => bench.takes.list({ workId: bench.workId, limit: 50 }).takes.toReversed()
const stateOf = async (bench: Bench) => {
  for await (const { endless } of bench.endless.watch(bench.workId, never)) return endless
  return null
}

/** The model says one text after another; after the last one it waits to be stopped. */
function answers(bench: Bench, ...texts: string[]): void {
  bench.answer = async function* (asked, signal) {
    const text = texts.shift()
    if (text !== undefined) return yield* says(text)(asked, signal)
    yield { type: 'text', text: '書きかけ' }
    if (!signal.aborted) await new Promise<void>((done) => signal.addEventListener('abort', () => done()))
    yield { type: 'done', stopReason: 'aborted' }
  }
}

describe('endless generation', () => {
  it('makes takes of one place until it is stopped, and says at which it is', async () => {
    const bench = draftBench()
    answers(bench, '一。', '二。')
    const run = await bench.endless.start(request(bench), never)
    await eventually(() => expect(takesOf(bench)).toHaveLength(3))
    expect(takesOf(bench).map(({ text, placeId }) => [text, placeId])).toEqual([
      ['一。', run.takeId],
      ['二。', run.takeId],
      ['書きかけ', run.takeId],
    ])
    expect(await stateOf(bench)).toMatchObject({ block: 3, placeId: run.takeId, end: null })
    bench.endless.stop(bench.workId)
    await eventually(async () => expect(await stateOf(bench)).toMatchObject({ end: 'stopped' }))
    expect(bench.runs.isBusy()).toBe(false)
  })

  it('goes on behind what was taken, by a new prompt', async () => {
    const bench = draftBench({ settings: { drafting: { endlessGenerate: 'manual' } } })
    answers(bench, '一。')
    await bench.endless.start(request(bench), never)
    await eventually(() => expect(takesOf(bench)).toHaveLength(2))
    const text = bench.files[0]?.text ?? ''
    bench.files = [{ path: '001.txt', text: `${text}一。` }]
    bench.edit(text.length, { from: text.length, insert: '一。' })
    const [first] = takesOf(bench)
    bench.endless.accepted(bench.takes.decide(first?.takeId ?? '', { state: 'inserted', acceptedLength: 2 }))
    await eventually(() => expect(takesOf(bench)).toHaveLength(3))
    const behind = takesOf(bench)[2]
    expect(behind).toMatchObject({ position: text.length + 2, placeId: behind?.takeId })
    expect(promptText(bench.sent[2]?.prompt ?? '')).toContain('一。')
    expect(await stateOf(bench)).toMatchObject({ block: 1, placeId: behind?.takeId })
    bench.endless.stop(bench.workId)
  })

  it.each([
    ['immediate', '青'],
    ['manual', '赤'],
  ] as const)('%s: the second block has %s of the dice', async (endlessGenerate, second) => {
    const bench = draftBench({ settings: { drafting: { endlessGenerate } } })
    bench.files = [{ path: '001.txt', text: '{赤|青}い花。\n' }]
    // Dice and seeds by turns.
    bench.dice = [0, 0, 0.9, 0.9]
    answers(bench, '一。')
    await bench.endless.start(request(bench), never)
    await eventually(() => expect(bench.sent).toHaveLength(2))
    expect(promptText(bench.sent[0]?.prompt ?? '')).toContain('赤い花')
    expect(promptText(bench.sent[1]?.prompt ?? '')).toContain(`${second}い花`)
    bench.endless.stop(bench.workId)
  })

  it('ends with the word for it: a failure, a model that writes nothing, a stop of its block', async () => {
    const bench = draftBench()
    const ended = async () => {
      await bench.endless.start(request(bench), never)
      await eventually(async () => expect((await stateOf(bench))?.end).not.toBeNull())
      return stateOf(bench)
    }
    bench.answer = async function* () {
      yield { type: 'text', text: '途中' }
      throw new AppError({ code: 'model/cut', address: 'a' })
    }
    expect(await ended()).toMatchObject({ end: 'failed', error: { code: 'model/cut' } })
    bench.answer = says()
    expect(await ended()).toMatchObject({ end: 'empty' })
    answers(bench)
    const run = await bench.endless.start(request(bench), never)
    bench.runs.stop(run.runId)
    await eventually(async () => expect(await stateOf(bench)).toMatchObject({ end: 'stopped' }))
  })

  it('is one at a time in a work', async () => {
    const bench = draftBench()
    answers(bench)
    await bench.endless.start(request(bench), never)
    await expect(bench.endless.start(request(bench), never)).rejects.toThrow('run/busy')
    bench.endless.stop(bench.workId)
  })
})

describe('an idea', () => {
  it('needs no chapter, stops as asked and belongs to the idea that it completes', async () => {
    const bench = draftBench({
      settings: { drafting: { ideaSamplerPresetId: 'ideas', outputTokensIdea: 900 } },
    })
    bench.files = []
    bench.answer = says('# タイトル:\n刻の迷宮\n# プロット:\n逃げる')
    const all = await bench.ended(await bench.start({ mode: 'idea', path: '' }))
    expect(bench.sent[0]).toMatchObject({ maxTokens: 900, isEosBanned: false })
    expect(bench.sent[0]?.sampler.temperature).toBe(1.2)
    bench.answer = says('# タイトル:\n別の題\n')
    const one = await bench.ended(
      await bench.start({ mode: 'idea', path: '', ideaTarget: 'title', ideaOf: all.placeId }),
    )
    expect(one).toMatchObject({ text: '# タイトル:\n別の題', placeId: all.takeId, ideaTarget: 'title' })
    expect(bench.sent[1]?.stops).toContain('\n# キーワード:')
    expect(takesOf(bench).map(({ state }) => state)).toEqual(['pending', 'pending'])
  })
})

describe('the place of a take', () => {
  it('is that of the one before at the same position, also after edits before it', async () => {
    const bench = draftBench()
    const first = await bench.ended(await bench.start())
    const second = await bench.ended(await bench.start())
    expect(second.placeId).toBe(first.takeId)
    const text = bench.files[0]?.text ?? ''
    bench.files = [{ path: '001.txt', text: `序。${text}` }]
    bench.edit(text.length, { from: 0, insert: '序。' })
    const third = await bench.ended(await bench.start())
    expect(third.placeId).toBe(first.takeId)
    bench.takes.decide(third.takeId, { state: 'inserted', acceptedLength: 1 })
    expect((await bench.ended(await bench.start())).placeId).not.toBe(first.takeId)
  })
})
