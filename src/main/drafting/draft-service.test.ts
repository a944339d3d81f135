import { setImmediate as settled } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { draftRig, says } from '../../../tests/fakes/rigs/draft-rig.ts'
import { silentAfterMs } from '../../shared/domain/drafting/run.ts'
import { AppError } from '../../shared/errors.ts'
import { promptText } from '../models/client/model-client.ts'

const request = (workId: string) => ({
  workId,
  path: '001.txt',
  mode: 'generate' as const,
  ideaTarget: 'all' as const,
})
const never = new AbortController().signal
const takesOf = (rig: ReturnType<typeof draftRig>) => rig.takes.list({ workId: rig.workId, limit: 50 }).takes

describe('a draft', () => {
  it('sends the prompt of the rules once and keeps the answer as a pending take with all that made it', async () => {
    const rig = draftRig()
    rig.details = { title: '刻の迷宮' }
    const run = await rig.ended(await rig.start({ seed: 7 }))
    expect(run).toMatchObject({ state: 'finished', text: '続き。', lead: '', position: 15 })
    expect(rig.sent.map(({ prompt }) => promptText(prompt))).toEqual([
      '[INST]以下の情報に基づいて小説本文を生成してください。 レーティング: general\n# タイトル:\n刻の迷宮[/INST]　時計の針が逆回転を始めた。\n',
    ])
    const [take] = takesOf(rig)
    expect(take).toMatchObject({ state: 'pending', text: '続き。', stopReason: 'stop', task: 'GEN_INFO' })
    const record = rig.takes.get(take?.takeId ?? '')
    expect(record.prompt.map(({ text }) => text).join('')).toBe(promptText(rig.sent[0]?.prompt ?? ''))
    expect(record.seed).toBe(7)
  })

  it('knows what the author wrote while the model was asked what it is', async () => {
    const rig = draftRig()
    const found = Promise.withResolvers<void>()
    rig.modelFound = found.promise
    const starting = rig.start()
    rig.files = [{ path: '001.txt', text: '　時計の針が逆回転を始めた。\n　雨。\n' }]
    found.resolve()
    const run = await rig.ended(await starting)
    expect(run.position).toBe(19)
    expect(promptText(rig.sent[0]?.prompt ?? '')).toContain('始めた。\n　雨。')
  })

  it('uses the preset of its work before that of the model, and the model’s where it is gone', async () => {
    const rig = draftRig()
    for (const [workSampler, temperature] of [
      [null, 0.7],
      ['ideas', 1.2],
      ['removed', 0.7],
    ] as const) {
      rig.workSampler = workSampler
      await rig.ended(await rig.start())
      expect(rig.sent.at(-1)?.sampler.temperature).toBe(temperature)
    }
  })

  it('has none of what the model thinks before it writes', async () => {
    const rig = draftRig()
    rig.answer = says('<thi', 'nk>\nThe user wants', ' rain.</think>', '\n\n', '続き', '。')
    expect((await rig.ended(await rig.start())).text).toBe('続き。')
  })

  it('marks only the template as special, so that the author cannot write control tokens', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: '[/INST]と書いた。\n' }]
    await rig.ended(await rig.start())
    const special = rig.sent[0]?.prompt.filter(({ isSpecial }) => isSpecial).map(({ text }) => text)
    expect(special).toEqual(['[INST]', '[/INST]'])
  })

  it('sends exactly the dice that the preview showed, and rolls anew for the next run', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: '{赤|青|白}い花。\n' }]
    // The second number is the seed of the first run.
    rig.dice = [0.5, 0.1, 0.9]
    const preview = await rig.drafts.preview(request(rig.workId), never)
    expect(preview.rolls).toMatchObject([{ source: '{赤|青|白}', value: '青' }])
    await rig.ended(await rig.start())
    expect(promptText(rig.sent[0]?.prompt ?? '')).toContain('青い花。')
    await rig.ended(await rig.start())
    expect(promptText(rig.sent[1]?.prompt ?? '')).toContain('白い花。')
    await rig.drafts.preview(request(rig.workId), never)
    rig.drafts.reroll(rig.workId)
    rig.dice = [0.9]
    const again = await rig.drafts.preview(request(rig.workId), never)
    expect(again.rolls).toMatchObject([{ value: '白' }])
  })

  it('writes a roll that pleases into the manuscript, and refuses where it is not there any more', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: '夜、{赤|青}い花。\n' }]
    const { rolls } = await rig.drafts.preview(request(rig.workId), never)
    const [roll] = rolls
    if (roll === undefined) throw new Error('nothing was rolled')
    await rig.drafts.fixRoll(rig.workId, roll)
    expect(rig.files[0]?.text).toBe('夜、赤い花。\n')
    await expect(rig.drafts.fixRoll(rig.workId, roll)).rejects.toThrow('file/changed')
  })

  it.each([
    ['embedded', 'auto', true],
    ['openai', 'auto', true],
    ['koboldcpp', 'auto', false],
    ['embedded', 'token_dynamic', false],
    ['koboldcpp', 'anchored', true],
  ] as const)('of a long text for %s, %s: holds its beginning %s', async (backend, fitMode, isHeld) => {
    const rig = draftRig({
      contextTokens: 1500,
      backend,
      settings: { drafting: { fitMode, offsetChars: 0 } },
    })
    const lines = Array.from({ length: 400 }, (_, i) => `第${i}の段落である。\n`)
    const body = async (count: number) => {
      rig.files = [{ path: '001.txt', text: lines.slice(0, count).join('') }]
      await rig.ended(await rig.start())
      const { prompt } = rig.sent.at(-1) ?? {}
      return promptText(prompt ?? '').split('```\n')[1] ?? ''
    }
    const [first, second] = [await body(380), await body(390)]
    expect(second.startsWith(first.slice(0, 50))).toBe(isHeld)
  })

  it.each([
    ['reads each page again', 0, true],
    ['moves its cache with the text', 1, false],
  ])('fits to a KoboldCpp that %s', async (_, reused, isHeld) => {
    const rig = draftRig({ contextTokens: 1500, settings: { drafting: { offsetChars: 0 } } })
    rig.answer = async function* (asked) {
      const promptTokens = promptText(asked.prompt).length
      const reusedTokens = Math.floor(promptTokens * reused)
      yield { type: 'text', text: '続き。' }
      yield {
        type: 'usage',
        usage: {
          promptTokens,
          reusedTokens,
          isReuseEstimated: true,
          completionTokens: 3,
          msPrompt: 0,
          msTotal: 0,
          tokensPerSecond: 0,
          isExact: true,
        },
      }
      yield { type: 'done', stopReason: 'stop' }
    }
    const lines = Array.from({ length: 400 }, (_, i) => `第${i}の段落である。\n`)
    const beginning = async (count: number, drafts = rig.drafts) => {
      rig.files = [{ path: '001.txt', text: lines.slice(0, count).join('') }]
      await rig.ended(await drafts.start({ ...request(rig.workId), isEstimateAccepted: false }, never))
      return (promptText(rig.sent.at(-1)?.prompt ?? '').split('```\n')[1] ?? '').slice(0, 30)
    }
    for (const count of [300, 310, 320]) await beginning(count)
    expect((await beginning(330)) === (await beginning(335))).toBe(isHeld)
    // The next host knows it from its first page on.
    const again = rig.startAgain()
    expect((await beginning(336, again)) === (await beginning(340, again))).toBe(isHeld)
  })

  it('says how much of its prompt the model has read already', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: '一。\n' }]
    expect((await rig.drafts.preview(request(rig.workId), never)).reusableTokens).toBeNull()
    await rig.ended(await rig.start())
    rig.files = [{ path: '001.txt', text: '一。\n続き。\n' }]
    const preview = await rig.drafts.preview(request(rig.workId), never)
    // One token is one character here; only the new line's end is new.
    expect(preview.reusableTokens).toBe(preview.totalTokens - 1)
  })

  it('says that all is read anew where the only slot of the server has read something else since', async () => {
    const rig = draftRig()
    rig.lastRead = ''
    const reusable = async () => (await rig.drafts.preview(request(rig.workId), never)).reusableTokens
    expect(await reusable()).toBeNull()
    await rig.ended(await rig.start())
    rig.lastRead = `${promptText(rig.sent[0]?.prompt ?? '')}続き。`
    expect(await reusable()).toBeGreaterThan(50)
    // An idea of this work, an answer about it, or a page of another one.
    rig.lastRead = '小説のアイデアを考えてください。'
    expect(await reusable()).toBe(0)
  })

  it('says how fast the model read, to a window that has seen no run', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: '一。\n'.repeat(50) }]
    rig.answer = async function* (...asked) {
      yield { type: 'phase', phase: 'reading', progress: null }
      await new Promise((read) => setTimeout(read, 20))
      yield* says('続き。')(...asked)
    }
    expect((await rig.drafts.preview(request(rig.workId), never)).readSpeed).toBeNull()
    await rig.ended(await rig.start())
    const { readSpeed } = await rig.drafts.preview(request(rig.workId), never)
    expect(readSpeed).toBeGreaterThan(0)
    expect((await rig.startAgain().preview(request(rig.workId), never)).readSpeed).toBe(readSpeed)
  })

  it('shows figures by origin that add up to the counted total', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: '一。\n二。\n三。\n四。\n五。\n' }]
    rig.details = { title: '題', authorsNote: '雨を強く' }
    const preview = await rig.drafts.preview(request(rig.workId), never)
    expect(preview.problem).toBeNull()
    const sum = Object.values(preview.tokensByOrigin).reduce((total, tokens) => total + tokens, 0)
    expect(sum).toBe(preview.totalTokens)
    expect(preview.totalTokens).toBe(preview.parts.map(({ text }) => text).join('').length)
  })

  it('sends nothing that does not fit, says by how much, and keeps no take', async () => {
    const rig = draftRig({ contextTokens: 560, settings: { drafting: { fitMode: 'none' } } })
    rig.files = [{ path: '001.txt', text: '長い段落である。\n'.repeat(200) }]
    const run = await rig.ended(await rig.start())
    expect(run).toMatchObject({ state: 'failed', error: { code: 'model/context-overflow', limitTokens: 60 } })
    expect(rig.sent).toEqual([])
    expect(takesOf(rig)).toEqual([])
    const preview = await rig.drafts.preview(request(rig.workId), never)
    expect(preview.problem?.code).toBe('model/context-overflow')
  })

  it('sends nothing where the context is unknown', async () => {
    const rig = draftRig({ contextTokens: null })
    const run = await rig.ended(await rig.start())
    expect(run.error?.code).toBe('model/context-unknown')
    expect(rig.sent).toEqual([])
  })

  it('estimates only where nothing counts, labelled', async () => {
    const rig = draftRig({ canCount: false })
    const preview = await rig.drafts.preview(request(rig.workId), never)
    expect(preview.isEstimate).toBe(true)
    const counting = draftRig()
    await counting.ended(await counting.start({ isEstimateAccepted: true }))
    expect(counting.counted).toEqual([])
    expect(counting.sent).toHaveLength(1)
  })

  it('joins the answer: a new line after a complete sentence, none after a broken one', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: '一。\n二。\n三。\n四。' }]
    rig.answer = says('\n', '\n　五。')
    const complete = await rig.ended(await rig.start())
    expect(complete).toMatchObject({ lead: '\n', text: '\n　五。' })
    rig.files = [{ path: '001.txt', text: '一。\n二。\n三。\n四は' }]
    rig.answer = says('五。')
    const broken = await rig.ended(await rig.start())
    expect(broken).toMatchObject({ lead: '', text: '五。' })
  })
})

describe('a run of a draft', () => {
  it('keeps what was written when it is stopped', async () => {
    const rig = draftRig()
    const isWaiting = Promise.withResolvers<void>()
    rig.answer = async function* (_request, signal) {
      yield { type: 'text', text: '途中' }
      isWaiting.resolve()
      await new Promise<void>((done) => signal.addEventListener('abort', () => done()))
      yield { type: 'done', stopReason: 'aborted' }
    }
    const run = await rig.start()
    await isWaiting.promise
    rig.runs.stop(run.runId)
    expect(await rig.ended(run)).toMatchObject({ state: 'stopped', text: '途中', error: null })
    expect(takesOf(rig)).toMatchObject([{ text: '途中', stopReason: 'aborted' }])
  })

  it('counts as stopped, not as failed, where another model is chosen before this one has been asked', async () => {
    const windowFailure = new AppError({ code: 'model/replaced', modelName: 'Test model' })
    const rig = draftRig({ backend: 'embedded', windowFailure })
    expect(await rig.ended(await rig.start())).toMatchObject({
      state: 'stopped',
      stopReason: 'replaced',
      text: '',
      error: null,
    })
    expect(rig.sent).toEqual([])
  })

  it.each(['', '途中'])(
    'says that another model was chosen where its client ends with the text %j',
    async (text) => {
      const rig = draftRig()
      rig.answer = async function* () {
        if (text !== '') yield { type: 'text', text }
        yield { type: 'done', stopReason: 'aborted' }
      }
      const run = await rig.ended(await rig.start())
      expect(run).toMatchObject({ state: 'stopped', stopReason: 'replaced', text })
      expect(takesOf(rig).map(({ stopReason }) => stopReason)).toEqual(text === '' ? [] : ['replaced'])
    },
  )

  it('reports a server that is silent while the prompt is fitted, until it answers', async () => {
    const clock = manualClock()
    const told = Promise.withResolvers<void>()
    const rig = draftRig({ clock, windowTold: told.promise })
    const run = await rig.start()
    const phases: unknown[] = []
    const watched = (async () => {
      for await (const event of rig.runs.watch(run.runId, undefined, never))
        if (event.type === 'phase') phases.push([event.phase, event.hint])
    })()
    await vi.waitFor(() => expect(clock.pending).toBe(1))
    await clock.advance(silentAfterMs - 1)
    await settled()
    expect(phases).not.toContainEqual(['counting', 'silent'])
    await clock.advance(1)
    await vi.waitFor(() => expect(phases.at(-1)).toEqual(['counting', 'silent']))
    // A window that opens now hears it with the run.
    expect(rig.runs.find(run.runId)).toMatchObject({ phase: 'counting', hint: 'silent' })
    told.resolve()
    await watched
    expect(phases.at(-1)).toEqual(['writing', undefined])
    expect(rig.runs.find(run.runId)).not.toHaveProperty('hint')
  })

  it('reports no silence of a server that answers in time', async () => {
    const clock = manualClock()
    const told = Promise.withResolvers<void>()
    const rig = draftRig({ clock, windowTold: told.promise })
    const run = await rig.start()
    await vi.waitFor(() => expect(clock.pending).toBe(1))
    told.resolve()
    await rig.ended(run)
    expect(clock.pending).toBe(0)
  })

  it('keeps what was written when the model fails, and says why', async () => {
    const rig = draftRig()
    rig.answer = async function* () {
      yield { type: 'text', text: '途中' }
      throw new AppError({ code: 'model/cut', address: 'a' })
    }
    const run = await rig.ended(await rig.start())
    expect(run).toMatchObject({ state: 'failed', error: { code: 'model/cut' }, text: '途中' })
    expect(takesOf(rig)).toMatchObject([{ text: '途中', stopReason: null, state: 'pending' }])
  })

  it('takes a correction of the server in place of what was streamed', async () => {
    const rig = draftRig()
    rig.answer = async function* () {
      yield { type: 'text', text: 'ー終' }
      yield { type: 'replace', text: 'ーヂ終' }
      yield { type: 'done', stopReason: 'stop' }
    }
    const run = await rig.ended(await rig.start())
    expect(run.text).toBe('ーヂ終')
    expect(takesOf(rig)[0]?.text).toBe('ーヂ終')
  })

  it('ends before the scaffolding of its own prompt, and its take says so', async () => {
    const rig = draftRig()
    let wasStopped = false
    rig.answer = async function* (_request, signal) {
      yield { type: 'text', text: '雨が降る。\n\n``' }
      yield { type: 'text', text: '`\n雨が' }
      wasStopped = signal.aborted
      yield { type: 'text', text: '降る。\n' }
      yield { type: 'done', stopReason: 'aborted' }
    }
    const run = await rig.ended(await rig.start())
    expect(run).toMatchObject({ state: 'finished', text: '雨が降る。' })
    expect(wasStopped).toBe(true)
    expect(takesOf(rig)).toMatchObject([{ text: '雨が降る。', stopReason: 'scaffolding' }])
  })

  it('has the text of a page that a chat model puts between fences', async () => {
    const rig = draftRig()
    rig.answer = says('``', '`\n雨が降る。\n', '```\n', '以上です。')
    const run = await rig.ended(await rig.start())
    expect(run).toMatchObject({ state: 'finished', text: '雨が降る。' })
  })

  it('says of an answer of headings alone that this is why there is no text', async () => {
    const rig = draftRig()
    rig.answer = says('\n【本文】\n雨')
    const run = await rig.ended(await rig.start())
    expect(run).toMatchObject({ state: 'finished', text: '', stopReason: 'scaffolding' })
    const never = new AbortController().signal
    const events = await Array.fromAsync(rig.runs.watch(run.runId, 0, never))
    expect(events.at(-1)).toMatchObject({ type: 'ended', stopReason: 'scaffolding' })
    expect(takesOf(rig)).toEqual([])
  })

  it('ends where one line comes again and again, and keeps it once', async () => {
    const rig = draftRig()
    rig.answer = async function* (_request, signal) {
      for (let line = 0; line < 100 && !signal.aborted; line++) {
        yield { type: 'text', text: '彼は静かに歩いて' }
        yield { type: 'text', text: 'いった。\n' }
      }
      yield { type: 'done', stopReason: 'aborted' }
    }
    const run = await rig.ended(await rig.start())
    expect(run).toMatchObject({ state: 'finished', text: '彼は静かに歩いていった。' })
    expect(takesOf(rig)).toMatchObject([{ text: '彼は静かに歩いていった。', stopReason: 'repetition' }])
  })

  it('has line ends of one character, as a document has, whatever the model writes', async () => {
    const rig = draftRig()
    rig.answer = says('一。\r', '\n二。\r\n三。')
    expect(await rig.ended(await rig.start())).toMatchObject({ text: '一。\n二。\n三。' })
    rig.answer = async function* () {
      yield { type: 'text', text: '一。\r\n二' }
      yield { type: 'replace', text: '一。\r\n二。' }
      yield { type: 'done', stopReason: 'stop' }
    }
    expect(await rig.ended(await rig.start())).toMatchObject({ text: '一。\n二。' })
  })

  it('does not double the space that the author has typed', async () => {
    const rig = draftRig()
    rig.files = [{ path: '001.txt', text: 'One.\nTwo.\nThree.\nIt was ' }]
    rig.answer = says(' no', ' longer.')
    expect(await rig.ended(await rig.start())).toMatchObject({ lead: '', text: 'no longer.' })
  })

  it('leaves the author a decision that was made in mid-stream', async () => {
    const rig = draftRig()
    const isHalf = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    rig.answer = async function* () {
      yield { type: 'text', text: '一文。' }
      isHalf.resolve()
      await mayEnd.promise
      yield { type: 'text', text: '二文。' }
      yield { type: 'done', stopReason: 'stop' }
    }
    const run = await rig.start()
    await isHalf.promise
    rig.takes.decide(run.takeId, { state: 'inserted', acceptedLength: 3 })
    mayEnd.resolve()
    await rig.ended(run)
    expect(takesOf(rig)).toMatchObject([{ state: 'inserted', acceptedLength: 3, text: '一文。二文。' }])
  })

  it('belongs to its file also where that is renamed in mid-stream', async () => {
    const rig = draftRig()
    const isHalf = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    rig.answer = async function* () {
      yield { type: 'text', text: '一文。' }
      isHalf.resolve()
      await mayEnd.promise
      yield { type: 'text', text: '二文。' }
      yield { type: 'done', stopReason: 'stop' }
    }
    const run = await rig.start()
    await isHalf.promise
    rig.takes.movePath(rig.workId, '001.txt', '一章.txt')
    rig.runs.movePath(rig.workId, '001.txt', '一章.txt')
    mayEnd.resolve()
    await rig.ended(run)
    expect(takesOf(rig)).toMatchObject([{ path: '一章.txt', text: '一文。二文。' }])
  })

  it('puts an undecided take aside for the next one, and destroys none', async () => {
    const rig = draftRig()
    await rig.ended(await rig.start())
    await rig.ended(await rig.start())
    expect(takesOf(rig).map(({ state }) => state)).toEqual(['pending', 'dismissed'])
  })

  it('is one at a time for a work', async () => {
    const rig = draftRig()
    const mayEnd = Promise.withResolvers<void>()
    rig.answer = async function* () {
      await mayEnd.promise
      yield { type: 'done', stopReason: 'stop' }
    }
    const first = await rig.start()
    await expect(rig.start()).rejects.toThrow('run/busy')
    mayEnd.resolve()
    await rig.ended(first)
    await rig.ended(await rig.start())
  })

  it('is one for two starts at once', async () => {
    const rig = draftRig()
    const starts = await Promise.allSettled([rig.start(), rig.start()])
    expect(starts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(starts[1]).toMatchObject({ reason: { info: { code: 'run/busy' } } })
    for (const start of starts) if (start.status === 'fulfilled') await rig.ended(start.value)
    expect(rig.sent).toHaveLength(1)
    expect(await rig.ended(await rig.start())).toMatchObject({ state: 'finished' })
  })

  it('may be started again where the first start has failed', async () => {
    const rig = draftRig()
    const { files } = rig
    Reflect.set(rig, 'files', null)
    await expect(rig.start()).rejects.toThrow()
    rig.files = files
    expect(await rig.ended(await rig.start())).toMatchObject({ state: 'finished' })
  })

  it('knows where its continuation stands while the author edits', async () => {
    const rig = draftRig()
    const run = await rig.ended(await rig.start())
    rig.edit(15, { from: 0, insert: '序' })
    await new Promise((done) => setTimeout(done, 0))
    expect(rig.places.positionOf(run.takeId)).toBe(16)
  })

  it('survives an unclean end with its text', async () => {
    const rig = draftRig()
    const mayEnd = Promise.withResolvers<void>()
    rig.answer = async function* () {
      yield { type: 'text', text: '途中' }
      await mayEnd.promise
      yield { type: 'done', stopReason: 'stop' }
    }
    const run = await rig.start()
    await expect.poll(() => takesOf(rig)).toHaveLength(1)
    rig.store.runs.flush()
    expect(rig.store.runs.interruptLeftovers(1)).toMatchObject([{ runId: run.runId, text: '途中' }])
    mayEnd.resolve()
  })
})

describe('an idea', () => {
  it('stops at the next header and shows only its section', async () => {
    const rig = draftRig()
    rig.answer = says('# タイトル:\n刻の迷宮\n\n', '# キーワード:\n時計')
    const run = await rig.ended(await rig.start({ mode: 'idea', ideaTarget: 'title' }))
    expect(rig.sent[0]).toMatchObject({ stops: ['\n# キーワード:'], isEosBanned: false, maxTokens: 1500 })
    expect(run.text).toBe('# タイトル:\n刻の迷宮')
    expect(run.lead).toBe('')
  })
})

describe('the words around a draft', () => {
  it.each([
    ['a Japanese text', { text: '暗い。\n' }, 'ja'],
    ['an English text', { text: 'It was dark.\n' }, 'en'],
    ['an English text with a Japanese title', { text: 'It was dark.\n', details: { title: '夜' } }, 'en'],
    ['an English text, Japanese chosen', { text: 'Dark.\n', details: { promptLanguage: 'ja' } }, 'ja'],
    ['a Japanese text, English chosen', { text: '暗い。\n', details: { promptLanguage: 'en' } }, 'en'],
    ['no text, an English synopsis', { text: '', details: { synopsis: 'A thief.' } }, 'en'],
    [
      'no text, a Japanese keyword',
      { text: '', details: { keywords: ['盗賊'] }, windowLanguage: 'en' },
      'ja',
    ],
    ['nothing, in an English window', { text: '', windowLanguage: 'en' }, 'en'],
    ['nothing, in a Japanese window', { text: '', windowLanguage: 'ja' }, 'ja'],
  ] as const)('are those of %s', async (_name, given, language) => {
    const { text, details = {}, windowLanguage } = { details: {}, windowLanguage: 'ja' as const, ...given }
    const rig = draftRig({ windowLanguage })
    rig.details = structuredClone(details)
    rig.files = [{ path: '001.txt', text }]
    await rig.ended(await rig.start())
    const isEnglish = promptText(rig.sent[0]?.prompt ?? '').includes(' Rating: general')
    expect(isEnglish ? 'en' : 'ja').toBe(language)
  })
})
