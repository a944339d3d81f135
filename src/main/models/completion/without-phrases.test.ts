import { describe, expect, it } from 'vitest'
import { AppError } from '../../../shared/errors.ts'
import { type CompletionRequest, type ModelEvent, plainPrompt, promptText } from '../client/model-client.ts'
import { withoutPhrases } from './without-phrases.ts'

const sampler = { temperature: 1, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const request: CompletionRequest = {
  prompt: plainPrompt('P:'),
  sampler,
  maxTokens: 20,
  stops: [],
  seed: 1,
  bannedPhrases: ['Suddenly, a', '突然'],
}

/** Returns a model that writes the first of its lines that continues the prompt and does not begin with a ban. */
function speaker(lines: string[][], isDeaf = false) {
  const asked: CompletionRequest[] = []
  async function* run(one: CompletionRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, void> {
    asked.push(one)
    const said = promptText(one.prompt).slice(2)
    const rests = lines
      .filter((line) => line.join('').startsWith(said))
      .map((line) => {
        const endOf = (index: number): number => line.slice(0, index + 1).join('').length
        return line.filter((_, index) => endOf(index) > said.length)
      })
    const rest = rests.find(([first]) => first !== undefined && !one.bannedStarts?.includes(first)) ?? []
    let written = 0
    for (const text of rest) {
      if ((signal.aborted && !isDeaf) || written === one.maxTokens) break
      written += 1
      yield { type: 'text', text }
    }
    const figures = { promptTokens: 2, reusedTokens: 0, isReuseEstimated: false, completionTokens: written }
    yield {
      type: 'usage',
      usage: { ...figures, msPrompt: 1, msTotal: 2, tokensPerSecond: 1, isExact: true },
    }
    const isCut = written === one.maxTokens
    yield { type: 'done', stopReason: signal.aborted ? 'aborted' : isCut ? 'length' : 'stop' }
  }
  return { asked, run }
}

async function complete(lines: string[][], change: Partial<CompletionRequest> = {}, isDeaf = false) {
  const { asked, run } = speaker(lines, isDeaf)
  let text = ''
  let last: ModelEvent | undefined
  for await (const event of withoutPhrases({ ...request, ...change }, run, new AbortController().signal)) {
    if (event.type === 'text') text += event.text
    last = event
  }
  return { text, asked, last }
}

describe('a completion without phrases', () => {
  it('goes back to the token in which a phrase began and goes on in another way', async () => {
    const { text, asked, last } = await complete([
      ['He', ' sat.', ' Sudd', 'enly,', ' a', ' dog'],
      ['He', ' sat.', ' Then', ' he', ' slept', ' well', '.'],
    ])
    expect(text).toBe('He sat. Then he slept well.')
    expect(asked.map(({ bannedStarts }) => bannedStarts)).toEqual([undefined, [' Sudd'], undefined])
    expect(promptText(asked[1]?.prompt ?? '')).toBe('P:He sat.')
    expect(last).toEqual({ type: 'done', stopReason: 'stop' })
  })

  it('finds other letters of the same phrase, and several phrases in a row', async () => {
    const { text } = await complete([
      ['雨。', '突', '然', 'だ。'],
      ['雨。', '風。', 'SUDDENLY', ', A', ' dog'],
      ['雨。', '風。', '雪。'],
    ])
    expect(text).toBe('雨。風。雪。')
  })

  it('stops at a stop sequence of which the first part was written before the text went back', async () => {
    const { text, last, asked } = await complete(
      [
        ['雨。', '\n#', '突', '然'],
        ['雨。', '\n#', ' キーワード', '猫', '。'],
      ],
      { stops: ['\n# キーワード'] },
    )
    expect(text).toBe('雨。')
    expect(last).toEqual({ type: 'done', stopReason: 'stop-sequence' })
    expect(asked).toHaveLength(2)
  })

  it('leaves what only begins as a phrase', async () => {
    const line = ['Suddenly', ' it', ' rained', '.']
    expect((await complete([line])).text).toBe(line.join(''))
    expect((await complete([['雨。', '突']])).text).toBe('雨。突')
  })

  it('ends before the phrase where there is no other way, and says so', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => ['雨。', '突'.padStart(i + 1, ' '), '然'])
    const { text, last, asked } = await complete(lines)
    expect(text).toBe('雨。')
    expect(last).toEqual({ type: 'done', stopReason: 'stop-sequence' })
    expect(asked.length).toBeLessThan(12)
  })

  it('does not count what an engine wrote before it heard that the text goes back', async () => {
    const lines = [
      ['It', ' rained.', '突然', 'a', 'b', 'c', 'd', 'e', 'f', 'g'],
      ['It', ' rained.', ' All', ' day', ' long', ' too'],
    ]
    const { text } = await complete(lines, { maxTokens: 6 }, true)
    expect(text).toBe('It rained. All day long too')
  })

  it('never writes more than was asked for', async () => {
    const { text, last } = await complete([['a', 'b', 'c', 'd']], { maxTokens: 2 })
    expect(text).toBe('ab')
    expect(last).toEqual({ type: 'done', stopReason: 'length' })
  })

  it('ends as at its limit where the context has no room for a further attempt', async () => {
    const { run } = speaker([['He', ' sat.', ' Sudd', 'enly,', ' a', ' dog']])
    let parts = 0
    async function* inFullContext(one: CompletionRequest, signal: AbortSignal) {
      parts += 1
      if (parts > 1) throw new AppError({ code: 'model/context-overflow', usedTokens: 9, limitTokens: 8 })
      yield* run(one, signal)
    }
    const events: ModelEvent[] = []
    for await (const event of withoutPhrases(request, inFullContext, new AbortController().signal))
      events.push(event)
    expect(events.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe('He sat.')
    expect(events.at(-1)).toEqual({ type: 'done', stopReason: 'length' })
  })
})
