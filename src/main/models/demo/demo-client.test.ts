import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isAppError } from '../../../shared/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { type CompletionRequest, type ModelEvent, plainPrompt } from '../client/model-client.ts'
import { createDemoClient, type DemoClient, loadDemoScripts } from './demo-client.ts'

const resources = fileURLToPath(new URL('../../../../resources', import.meta.url))
const scripts = await loadDemoScripts(resources)
const never = new AbortController().signal
const template = { id: 'plain', name: 'Plain', wrapper: '{{inner}}\n{{suffix}}', stops: [] }
const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }

async function demo(language: 'ja' | 'en', tokenMs = 0): Promise<DemoClient> {
  return createDemoClient(
    { clock: systemClock },
    { scripts, language, template, contextTokens: undefined, tokenMs },
  )
}

function request(changes: Partial<CompletionRequest> = {}): CompletionRequest {
  return { prompt: plainPrompt('続き'), sampler, maxTokens: 500, stops: [], seed: 3, ...changes }
}

async function run(events: AsyncIterable<ModelEvent>, onText: () => void = () => undefined) {
  const seen: ModelEvent[] = []
  for await (const event of events) {
    seen.push(event)
    if (event.type === 'text') onText()
  }
  const text = seen.map((event) => (event.type === 'text' ? event.text : '')).join('')
  const usage = seen.find((event) => event.type === 'usage')?.usage
  const last = seen.at(-1)
  return { text, usage, done: last?.type === 'done' ? last.stopReason : undefined }
}

describe.each(['ja', 'en'] as const)('DemoClient in %s', (language) => {
  it('says the same for the same seed, something else for another, in tokens that it counts itself', async () => {
    const client = await demo(language)
    const first = await run(client.complete(request(), never))
    expect(await run(client.complete(request(), never))).toMatchObject({ text: first.text, done: 'stop' })
    expect((await run(client.complete(request({ seed: 4 }), never))).text).not.toBe(first.text)
    expect(await client.countTokens(first.text, never, { isPiece: true })).toBe(first.usage?.completionTokens)
    expect(first.usage).toMatchObject({ isExact: true })
  })

  it('goes on as long as it is asked to, and stops where it is told to', async () => {
    const client = await demo(language)
    const endless = await run(client.complete(request({ isEosBanned: true, maxTokens: 800 }), never))
    expect([endless.usage?.completionTokens, endless.done]).toEqual([800, 'length'])
    const stop = endless.text.slice(10, 14)
    const cut = await run(client.complete(request({ isEosBanned: true, stops: [stop] }), never))
    expect([cut.text, cut.done]).toEqual([endless.text.slice(0, endless.text.indexOf(stop)), 'stop-sequence'])
  })
})

const samples = fileURLToPath(new URL('../../../../resources/sample', import.meta.url))

describe.each(['ja', 'en'] as const)('the demo after the sample in %s', (language) => {
  it.each(['ja', 'en'] as const)(
    'goes on with the story, in its language, in a window in %s',
    async (window) => {
      const folder = `${samples}/${language}`
      const chapters = (await readdir(folder)).filter((name) => name.endsWith('.txt'))
      expect(chapters.length).toBeGreaterThan(1)
      for (const chapter of chapters) {
        const client = await demo(window)
        const prompt = plainPrompt(await readFile(`${folder}/${chapter}`, 'utf8'))
        const { text } = await run(client.complete(request({ prompt }), never))
        const script = scripts[language]
        expect(script.samples.flatMap(({ continuations }) => continuations)).toContain(text.trimEnd())
      }
    },
  )
})

describe('DemoClient', () => {
  it('answers the drafting prompts for ideas with headed sections', async () => {
    const client = await demo('ja')
    const prompt = plainPrompt(
      '[INST]自由に小説のアイデア（タイトル、キーワード）を生成してください。[/INST]',
    )
    expect((await run(client.complete(request({ prompt }), never))).text).toContain('# タイトル:\n')
  })

  it('keeps the text of a stop', async () => {
    const client = await demo('ja', 5)
    const stop = new AbortController()
    const { text, done, usage } = await run(client.complete(request(), stop.signal), () => stop.abort())
    expect(done).toBe('aborted')
    expect(usage?.completionTokens).toBe(text.length)
    expect(text).not.toBe('')
  })

  it('refuses what does not fit', async () => {
    const client = await demo('ja')
    const long = run(client.complete(request({ prompt: plainPrompt('あ'.repeat(40_000)) }), never))
    await expect(long).rejects.toSatisfy((error) => isAppError(error, 'model/context-overflow'))
  })

  it('gives structured output that its schema takes', async () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { enum: ['a', 'b'] },
        items: { type: 'array', items: { type: 'string' }, minItems: 1 },
      },
      required: ['kind', 'items'],
    }
    const client = await demo('en')
    const { text } = await run(
      client.complete(request({ constraint: { kind: 'json-schema', schema } }), never),
    )
    expect(JSON.parse(text)).toEqual({ kind: 'a', items: ['a'] })
  })
})
