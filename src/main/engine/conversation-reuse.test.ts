import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { templatePack } from '../../../tests/fakes/rigs/fake-draft.ts'
import { startEngineHere } from '../../../tests/fakes/rigs/models/engine-here.ts'
import { silentLog as log } from '../../../tests/fakes/silent-log.ts'
import { writeTinyGguf } from '../../../tests/fakes/tiny-gguf.ts'
import type { ModelUsage } from '../../shared/domain/model/model-status.ts'
import type { ChatMessage } from '../models/client/model-client.ts'
import { createEmbeddedClient, type EmbeddedClient } from '../models/embedded/embedded-client.ts'
import { systemClock as clock } from '../platform/clock.ts'
import { EngineProcess } from './engine-process.ts'

const never = new AbortController().signal
const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const contextTokens = 2_048

let folder = ''
let client: EmbeddedClient

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsugi-reuse-'))
  const file = join(folder, 'tiny.gguf')
  writeTinyGguf(file, { says: '吾輩は猫である', contextTokens })
  const engine = new EngineProcess({ spawnWorker: startEngineHere, clock, log }, { file, contextTokens })
  client = createEmbeddedClient({ clock, engine }, { template: templatePack('chatml'), contextTokens })
})
afterAll(async () => {
  await client.dispose()
  rmSync(folder, { recursive: true, force: true })
})

/** A conversation that grows, with what each of its requests cost. */
class Talk {
  readonly usages: ModelUsage[] = []
  readonly #name: string
  readonly #messages: ChatMessage[]

  constructor(name: string, instructions: string) {
    this.#name = name
    this.#messages = [{ role: 'system', content: instructions }]
  }

  async ask(question: string): Promise<string> {
    this.#messages.push({ role: 'user', content: question })
    let text = ''
    const request = { sampler, maxTokens: 30, stops: [], seed: 1, conversation: this.#name }
    for await (const event of client.chat({ ...request, messages: this.#messages }, never)) {
      if (event.type === 'text') text += event.text
      if (event.type === 'usage') this.usages.push(event.usage)
    }
    this.#messages.push({ role: 'assistant', content: text })
    return text
  }

  /**
   * Returns the tokens that each request after the first processed again, besides its new ones. The last token that the
   * model wrote is not in its cache, since it was generated but never evaluated.
   */
  readAgain(): number[] {
    return this.usages.slice(1).map(({ promptTokens, reusedTokens }, index) => {
      const before = this.usages[index]
      const newTokens = promptTokens - (before?.promptTokens ?? 0) - (before?.completionTokens ?? 0)
      return promptTokens - (reusedTokens ?? 0) - newTokens
    })
  }
}

describe('the conversations of the embedded engine', () => {
  it('read only what is new in each request, by the engine’s own count', async () => {
    const talk = new Talk('long', 'あなたは小説家です。'.repeat(20))
    for (let turn = 1; turn <= 6; turn += 1) {
      expect(await talk.ask('つづきは？'.repeat(turn))).toBe('吾輩は猫である')
    }
    const [first] = talk.usages
    expect(first).toMatchObject({ reusedTokens: 0, isReuseEstimated: false, isExact: true })
    // At most the last word of the answer, where the model has just said it and stopped.
    for (const tokens of talk.readAgain()) expect(tokens).toBeLessThanOrEqual(1)
  })

  it('do not take each other’s memory, while there is room for both', async () => {
    const one = new Talk('one', 'あなたは校正者です。'.repeat(15))
    const other = new Talk('other', 'あなたは翻訳者です。'.repeat(15))
    for (const question of ['はい', 'それで', 'では']) {
      await one.ask(question)
      await other.ask(question)
    }
    for (const tokens of [...one.readAgain(), ...other.readAgain()]) expect(tokens).toBeLessThanOrEqual(1)
  })
})
