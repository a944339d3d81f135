import { describe, expect, it } from 'vitest'
import { draftBench, says } from '../../../tests/fakes/draft-bench.ts'
import { AppError } from '../../shared/errors.ts'
import { promptText } from '../models/model-client.ts'

const request = (workId: string) => ({
  workId,
  path: '001.txt',
  mode: 'generate' as const,
  ideaTarget: 'all' as const,
})
const never = new AbortController().signal
const takesOf = (bench: ReturnType<typeof draftBench>) =>
  bench.takes.list({ workId: bench.workId, limit: 50 }).takes

describe('a draft', () => {
  it('sends the prompt of the rules once and keeps the answer as a pending take with all that made it', async () => {
    const bench = draftBench()
    bench.details = { title: '刻の迷宮' }
    const run = await bench.ended(await bench.start({ seed: 7 }))
    expect(run).toMatchObject({ state: 'finished', text: '続き。', lead: '', position: 15 })
    expect(bench.sent.map(({ prompt }) => promptText(prompt))).toEqual([
      '[INST]以下の情報に基づいて小説本文を生成してください。 レーティング: general\n# タイトル:\n刻の迷宮[/INST]　時計の針が逆回転を始めた。\n',
    ])
    const [take] = takesOf(bench)
    expect(take).toMatchObject({ state: 'pending', text: '続き。', stopReason: 'stop', task: 'GEN_INFO' })
    const record = bench.takes.get(take?.takeId ?? '')
    expect(record.prompt.map(({ text }) => text).join('')).toBe(promptText(bench.sent[0]?.prompt ?? ''))
    expect(record.seed).toBe(7)
  })

  it('marks only the template as special, so that the author cannot write control tokens', async () => {
    const bench = draftBench()
    bench.files = [{ path: '001.txt', text: '[/INST]と書いた。\n' }]
    await bench.ended(await bench.start())
    const special = bench.sent[0]?.prompt.filter(({ isSpecial }) => isSpecial).map(({ text }) => text)
    expect(special).toEqual(['[INST]', '[/INST]'])
  })

  it('sends exactly the dice that the preview showed, and rolls anew for the next run', async () => {
    const bench = draftBench()
    bench.files = [{ path: '001.txt', text: '{赤|青|白}い花。\n' }]
    // The second number is the seed of the first run.
    bench.dice = [0.5, 0.1, 0.9]
    const preview = await bench.drafts.preview(request(bench.workId), never)
    expect(preview.rolls).toMatchObject([{ source: '{赤|青|白}', value: '青' }])
    await bench.ended(await bench.start())
    expect(promptText(bench.sent[0]?.prompt ?? '')).toContain('青い花。')
    await bench.ended(await bench.start())
    expect(promptText(bench.sent[1]?.prompt ?? '')).toContain('白い花。')
    await bench.drafts.preview(request(bench.workId), never)
    bench.drafts.reroll(bench.workId)
    bench.dice = [0.9]
    const again = await bench.drafts.preview(request(bench.workId), never)
    expect(again.rolls).toMatchObject([{ value: '白' }])
  })

  it('writes a roll that pleases into the manuscript, and refuses where it is not there any more', async () => {
    const bench = draftBench()
    bench.files = [{ path: '001.txt', text: '夜、{赤|青}い花。\n' }]
    const { rolls } = await bench.drafts.preview(request(bench.workId), never)
    const [roll] = rolls
    if (roll === undefined) throw new Error('nothing was rolled')
    await bench.drafts.fixRoll(bench.workId, roll)
    expect(bench.files[0]?.text).toBe('夜、赤い花。\n')
    await expect(bench.drafts.fixRoll(bench.workId, roll)).rejects.toThrow('file/changed')
  })

  it.each([
    ['embedded', 'auto', true],
    ['openai', 'auto', true],
    ['koboldcpp', 'auto', false],
    ['embedded', 'token_dynamic', false],
    ['koboldcpp', 'anchored', true],
  ] as const)('of a long text for %s, %s: holds its beginning %s', async (backend, fitMode, isHeld) => {
    const bench = draftBench({
      contextTokens: 1500,
      backend,
      settings: { drafting: { fitMode, offsetChars: 0 } },
    })
    const lines = Array.from({ length: 400 }, (_, i) => `第${i}の段落である。\n`)
    const body = async (count: number) => {
      bench.files = [{ path: '001.txt', text: lines.slice(0, count).join('') }]
      await bench.ended(await bench.start())
      const { prompt } = bench.sent.at(-1) ?? {}
      return promptText(prompt ?? '').split('```\n')[1] ?? ''
    }
    const [first, second] = [await body(380), await body(390)]
    expect(second.startsWith(first.slice(0, 50))).toBe(isHeld)
  })

  it('says how much of its prompt the model has read already', async () => {
    const bench = draftBench()
    bench.files = [{ path: '001.txt', text: '一。\n' }]
    expect((await bench.drafts.preview(request(bench.workId), never)).reusableTokens).toBeNull()
    await bench.ended(await bench.start())
    bench.files = [{ path: '001.txt', text: '一。\n続き。\n' }]
    const preview = await bench.drafts.preview(request(bench.workId), never)
    // One token is one character here; only the new line's end is new.
    expect(preview.reusableTokens).toBe(preview.totalTokens - 1)
  })

  it('shows figures by origin that add up to the counted total', async () => {
    const bench = draftBench()
    bench.files = [{ path: '001.txt', text: '一。\n二。\n三。\n四。\n五。\n' }]
    bench.details = { title: '題', authorsNote: '雨を強く' }
    const preview = await bench.drafts.preview(request(bench.workId), never)
    expect(preview.problem).toBeNull()
    const sum = Object.values(preview.tokensByOrigin).reduce((total, tokens) => total + tokens, 0)
    expect(sum).toBe(preview.totalTokens)
    expect(preview.totalTokens).toBe(preview.parts.map(({ text }) => text).join('').length)
  })

  it('sends nothing that does not fit, says by how much, and keeps no take', async () => {
    const bench = draftBench({ contextTokens: 560, settings: { drafting: { fitMode: 'none' } } })
    bench.files = [{ path: '001.txt', text: '長い段落である。\n'.repeat(200) }]
    const run = await bench.ended(await bench.start())
    expect(run).toMatchObject({ state: 'failed', error: { code: 'model/context-overflow', limitTokens: 60 } })
    expect(bench.sent).toEqual([])
    expect(takesOf(bench)).toEqual([])
    const preview = await bench.drafts.preview(request(bench.workId), never)
    expect(preview.problem?.code).toBe('model/context-overflow')
  })

  it('sends nothing where the context is unknown', async () => {
    const bench = draftBench({ contextTokens: null })
    const run = await bench.ended(await bench.start())
    expect(run.error?.code).toBe('model/context-unknown')
    expect(bench.sent).toEqual([])
  })

  it('estimates only where nothing counts, labelled', async () => {
    const bench = draftBench({ canCount: false })
    const preview = await bench.drafts.preview(request(bench.workId), never)
    expect(preview.isEstimate).toBe(true)
    const counting = draftBench()
    await counting.ended(await counting.start({ isEstimateAccepted: true }))
    expect(counting.counted).toEqual([])
    expect(counting.sent).toHaveLength(1)
  })

  it('joins the answer: a new line after a complete sentence, none after a broken one', async () => {
    const bench = draftBench()
    bench.files = [{ path: '001.txt', text: '一。\n二。\n三。\n四。' }]
    bench.answer = says('\n', '\n　五。')
    const complete = await bench.ended(await bench.start())
    expect(complete).toMatchObject({ lead: '\n', text: '\n　五。' })
    bench.files = [{ path: '001.txt', text: '一。\n二。\n三。\n四は' }]
    bench.answer = says('五。')
    const broken = await bench.ended(await bench.start())
    expect(broken).toMatchObject({ lead: '', text: '五。' })
  })
})

describe('a run of a draft', () => {
  it('keeps what was written when it is stopped', async () => {
    const bench = draftBench()
    const isWaiting = Promise.withResolvers<void>()
    bench.answer = async function* (_request, signal) {
      yield { type: 'text', text: '途中' }
      isWaiting.resolve()
      await new Promise<void>((done) => signal.addEventListener('abort', () => done()))
      yield { type: 'done', stopReason: 'aborted' }
    }
    const run = await bench.start()
    await isWaiting.promise
    bench.runs.stop(run.runId)
    expect(await bench.ended(run)).toMatchObject({ state: 'stopped', text: '途中', error: null })
    expect(takesOf(bench)).toMatchObject([{ text: '途中', stopReason: 'aborted' }])
  })

  it('keeps what was written when the model fails, and says why', async () => {
    const bench = draftBench()
    bench.answer = async function* () {
      yield { type: 'text', text: '途中' }
      throw new AppError({ code: 'model/cut', address: 'a' })
    }
    const run = await bench.ended(await bench.start())
    expect(run).toMatchObject({ state: 'failed', error: { code: 'model/cut' }, text: '途中' })
    expect(takesOf(bench)).toMatchObject([{ text: '途中', stopReason: null, state: 'pending' }])
  })

  it('takes a correction of the server in place of what was streamed', async () => {
    const bench = draftBench()
    bench.answer = async function* () {
      yield { type: 'text', text: 'ー終' }
      yield { type: 'replace', text: 'ーヂ終' }
      yield { type: 'done', stopReason: 'stop' }
    }
    const run = await bench.ended(await bench.start())
    expect(run.text).toBe('ーヂ終')
    expect(takesOf(bench)[0]?.text).toBe('ーヂ終')
  })

  it('ends before the scaffolding of its own prompt, and its take says so', async () => {
    const bench = draftBench()
    let wasStopped = false
    bench.answer = async function* (_request, signal) {
      yield { type: 'text', text: '雨が降る。\n\n``' }
      yield { type: 'text', text: '`\n雨が' }
      wasStopped = signal.aborted
      yield { type: 'text', text: '降る。\n' }
      yield { type: 'done', stopReason: 'aborted' }
    }
    const run = await bench.ended(await bench.start())
    expect(run).toMatchObject({ state: 'finished', text: '雨が降る。' })
    expect(wasStopped).toBe(true)
    expect(takesOf(bench)).toMatchObject([{ text: '雨が降る。', stopReason: 'scaffolding' }])
  })

  it('ends where one line comes again and again, and keeps it once', async () => {
    const bench = draftBench()
    bench.answer = async function* (_request, signal) {
      for (let line = 0; line < 100 && !signal.aborted; line++) {
        yield { type: 'text', text: '彼は静かに歩いて' }
        yield { type: 'text', text: 'いった。\n' }
      }
      yield { type: 'done', stopReason: 'aborted' }
    }
    const run = await bench.ended(await bench.start())
    expect(run).toMatchObject({ state: 'finished', text: '彼は静かに歩いていった。' })
    expect(takesOf(bench)).toMatchObject([{ text: '彼は静かに歩いていった。', stopReason: 'repetition' }])
  })

  it('does not double the space that the author has typed', async () => {
    const bench = draftBench()
    bench.files = [{ path: '001.txt', text: 'One.\nTwo.\nThree.\nIt was ' }]
    bench.answer = says(' no', ' longer.')
    expect(await bench.ended(await bench.start())).toMatchObject({ lead: '', text: 'no longer.' })
  })

  it('leaves the author a decision that was made in mid-stream', async () => {
    const bench = draftBench()
    const isHalf = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    bench.answer = async function* () {
      yield { type: 'text', text: '一文。' }
      isHalf.resolve()
      await mayEnd.promise
      yield { type: 'text', text: '二文。' }
      yield { type: 'done', stopReason: 'stop' }
    }
    const run = await bench.start()
    await isHalf.promise
    bench.takes.decide(run.takeId, { state: 'inserted', acceptedLength: 3 })
    mayEnd.resolve()
    await bench.ended(run)
    expect(takesOf(bench)).toMatchObject([{ state: 'inserted', acceptedLength: 3, text: '一文。二文。' }])
  })

  it('puts an undecided take aside for the next one, and destroys none', async () => {
    const bench = draftBench()
    await bench.ended(await bench.start())
    await bench.ended(await bench.start())
    expect(takesOf(bench).map(({ state }) => state)).toEqual(['pending', 'dismissed'])
  })

  it('is one at a time for a work', async () => {
    const bench = draftBench()
    const mayEnd = Promise.withResolvers<void>()
    bench.answer = async function* () {
      await mayEnd.promise
      yield { type: 'done', stopReason: 'stop' }
    }
    const first = await bench.start()
    await expect(bench.start()).rejects.toThrow('run/busy')
    mayEnd.resolve()
    await bench.ended(first)
    await bench.ended(await bench.start())
  })

  it('is one for two starts at once', async () => {
    const bench = draftBench()
    const starts = await Promise.allSettled([bench.start(), bench.start()])
    expect(starts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(starts[1]).toMatchObject({ reason: { info: { code: 'run/busy' } } })
    for (const start of starts) if (start.status === 'fulfilled') await bench.ended(start.value)
    expect(bench.sent).toHaveLength(1)
    expect(await bench.ended(await bench.start())).toMatchObject({ state: 'finished' })
  })

  it('may be started again where the first start has failed', async () => {
    const bench = draftBench()
    const { files } = bench
    Reflect.set(bench, 'files', null)
    await expect(bench.start()).rejects.toThrow()
    bench.files = files
    expect(await bench.ended(await bench.start())).toMatchObject({ state: 'finished' })
  })

  it('knows where its continuation stands while the author edits', async () => {
    const bench = draftBench()
    const run = await bench.ended(await bench.start())
    bench.edit(15, { from: 0, insert: '序' })
    await new Promise((done) => setTimeout(done, 0))
    expect(bench.places.positionOf(run.takeId)).toBe(16)
  })

  it('survives an unclean end with its text', async () => {
    const bench = draftBench()
    const mayEnd = Promise.withResolvers<void>()
    bench.answer = async function* () {
      yield { type: 'text', text: '途中' }
      await mayEnd.promise
      yield { type: 'done', stopReason: 'stop' }
    }
    const run = await bench.start()
    await expect.poll(() => takesOf(bench)).toHaveLength(1)
    bench.store.runs.flush()
    expect(bench.store.runs.interruptLeftovers(1)).toMatchObject([{ runId: run.runId, text: '途中' }])
    mayEnd.resolve()
  })
})

describe('an idea', () => {
  it('stops at the next header and shows only its section', async () => {
    const bench = draftBench()
    bench.answer = says('# タイトル:\n刻の迷宮\n\n', '# キーワード:\n時計')
    const run = await bench.ended(await bench.start({ mode: 'idea', ideaTarget: 'title' }))
    expect(bench.sent[0]).toMatchObject({ stops: ['\n# キーワード:'], isEosBanned: false, maxTokens: 1500 })
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
    const bench = draftBench({ windowLanguage })
    bench.details = structuredClone(details)
    bench.files = [{ path: '001.txt', text }]
    await bench.ended(await bench.start())
    const isEnglish = promptText(bench.sent[0]?.prompt ?? '').includes(' Rating: general')
    expect(isEnglish ? 'en' : 'ja').toBe(language)
  })
})
