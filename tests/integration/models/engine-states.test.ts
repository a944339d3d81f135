import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { SpawnWorker } from '../../../src/main/deps.ts'
import { EngineProcess } from '../../../src/main/engine/engine-process.ts'
import { LlamaEngine } from '../../../src/main/engine/llama-engine.ts'
import { plainPrompt } from '../../../src/main/models/client/model-client.ts'
import {
  createEmbeddedClient,
  type EmbeddedClient,
} from '../../../src/main/models/embedded/embedded-client.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { forkWorkers } from '../../../src/main/platform/node/fork-worker.ts'
import { TemplatePack } from '../../../src/shared/domain/model/template-pack.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { sharedLlama, startEngineHere } from '../../fakes/rigs/models/engine-here.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'

const entry = fileURLToPath(new URL('../../../src/main/engine/engine-child.ts', import.meta.url))
const never = new AbortController().signal
const greedy = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const template = TemplatePack.parse({ id: 'm', name: 'M', wrapper: '{{inner}}{{suffix}}', stops: [] })
const says = '吾輩は猫である'
/** 602 tokens with BOS and the line end. */
const beginning = `${'あいうえお'.repeat(120)}\n`
const beginningTokens = 602

let folder = ''
let model = ''
let statesDir = ''
beforeEach(() => {
  folder = tempFolder()
  model = join(folder, 'model.gguf')
  statesDir = join(folder, 'engine-states')
  writeTinyGguf(model, { says })
})

type OpenOptions = {
  file?: string
  statesDir?: string
  contextTokens?: number
  idleUnloadMs?: number
  spawnWorker?: SpawnWorker
}

function open(options: OpenOptions = {}) {
  const { contextTokens = 1024, spawnWorker = startEngineHere, ...more } = options
  const engine = new EngineProcess(
    { spawnWorker, clock: systemClock, log: silentLog },
    { file: model, statesDir, ...more, contextTokens },
  )
  onTestFinished(() => engine.dispose())
  const client = createEmbeddedClient({ clock: systemClock, engine }, { template, contextTokens })
  return { engine, client }
}

/** Returns the answer, and how many of the prompt's tokens had to be processed. */
async function ask(client: EmbeddedClient, text: string, conversation = 'draft a') {
  const answer = { text: '', promptTokens: 0, readTokens: 0 }
  const request = {
    prompt: plainPrompt(text),
    sampler: greedy,
    maxTokens: 40,
    stops: [],
    seed: 1,
    conversation,
  }
  for await (const event of client.complete(request, never)) {
    if (event.type === 'text') answer.text += event.text
    if (event.type !== 'usage') continue
    answer.promptTokens = event.usage.promptTokens
    answer.readTokens = event.usage.promptTokens - (event.usage.reusedTokens ?? 0)
  }
  return answer
}

/** Runs an engine from start to end with one conversation. */
async function live(options: OpenOptions = {}) {
  const { engine, client } = open(options)
  const answer = await ask(client, beginning)
  await engine.dispose()
  return answer
}

function states(): string[] {
  return readdirSync(statesDir).sort()
}

function stateFile(): string {
  const [name] = states()
  if (name === undefined) throw new Error('no state was saved')
  return join(statesDir, name)
}

const whole = { text: says, promptTokens: beginningTokens, readTokens: beginningTokens }
/** Its last token is always evaluated, so that there is something to sample from. */
const reused = { text: says, promptTokens: beginningTokens, readTokens: 1 }

describe('a conversation outlives its engine', () => {
  it('so that a longer prompt costs only what is new', async () => {
    const engineProcess = { spawnWorker: forkWorkers({ engine: entry }) }
    expect(await live(engineProcess)).toEqual(whole)
    const { client } = open(engineProcess)
    const more = await ask(client, `${beginning}${says}かきくけこ\n`)
    expect(more).toMatchObject({ text: says, promptTokens: beginningTokens + says.length + 6 })
    // The last token that it wrote was never read back; the six others are new.
    expect(more.readTokens).toBeLessThanOrEqual(7)
  })

  it('readable by this user only, one file, no leftovers', async () => {
    await live()
    expect(states()).toHaveLength(1)
    if (process.platform === 'win32') return
    expect(statSync(statesDir).mode & 0o777).toBe(0o700)
    expect(statSync(stateFile()).mode & 0o777).toBe(0o600)
    expect(readFileSync(stateFile()).includes('あいうえお')).toBe(false)
  })

  it('when it is unloaded for idleness, too', async () => {
    const { engine, client } = open({ idleUnloadMs: 30 })
    await ask(client, beginning)
    await expect.poll(() => engine.state).toBe('asleep')
    await expect.poll(() => states().filter((name) => name.endsWith('.state'))).toHaveLength(1)
    expect(await ask(client, beginning)).toEqual(reused)
  })

  it.skipIf(process.platform === 'win32')(
    'when a terminal interrupts it together with its parent',
    async () => {
      const { engine, client } = open({ spawnWorker: forkWorkers({ engine: entry }) })
      await ask(client, beginning)
      process.kill(engine.pid ?? 0, 'SIGINT')
      process.kill(engine.pid ?? 0, 'SIGHUP')
      await engine.dispose()
      expect(await live()).toEqual(reused)
    },
  )

  it('when its process has no orderly end, where it had been quiet before', async () => {
    const engine = new LlamaEngine(silentLog, { quietMs: 20, load: sharedLlama })
    await engine.load(model, 1024, statesDir)
    onTestFinished(() => engine.unload())
    const request = {
      id: 1,
      segments: plainPrompt(beginning).map((segment) => ({ ...segment })),
      sampler: greedy,
      maxTokens: 40,
      stops: [],
      seed: 1,
      isEosBanned: false,
      grammar: '',
      conversation: 'draft a',
    }
    for await (const _ of engine.complete(request, never));
    await expect.poll(() => stateFile().endsWith('.state')).toBe(true)
    expect(await live()).toEqual(reused)
  })

  it('when others need its place', async () => {
    const { engine, client } = open()
    await ask(client, beginning)
    for (const name of ['b', 'c', 'd', 'e']) await ask(client, 'か\n', name)
    expect((await engine.stats(never)).sequences).toBeLessThanOrEqual(4)
    expect(states()).toHaveLength(1)
    expect(await ask(client, beginning)).toEqual(reused)
  })

  it('but a short one is not worth a file', async () => {
    const { engine, client } = open()
    await ask(client, 'か\n')
    await engine.dispose()
    expect(() => states()).toThrow('ENOENT')
  })

  it('and a state that shares little with the prompt is left alone', async () => {
    await live()
    const before = statSync(stateFile()).mtimeMs
    const { client } = open()
    const other = `${'さしすせそ'.repeat(120)}\n`
    expect(await ask(client, other)).toEqual(whole)
    expect(statSync(stateFile()).mtimeMs).toBe(before)
  })
})

describe('a state that must not be used', () => {
  it('is damaged: the prompt is read from its beginning, and a good state takes its place', async () => {
    await live()
    const file = openSync(stateFile(), 'r+')
    writeSync(file, 'x', 30_000)
    closeSync(file)
    expect(await live()).toEqual(whole)
    truncateSync(stateFile(), 20_000)
    expect(await live()).toEqual(whole)
    expect(await live()).toEqual(reused)
    expect(states()).toHaveLength(1)
  })

  it('is another conversation’s, another context’s, another file’s, or of a file that was replaced', async () => {
    await live()
    const { engine, client } = open()
    expect(await ask(client, beginning, 'draft b')).toEqual(whole)
    await engine.dispose()
    expect(await live({ contextTokens: 900 })).toEqual(whole)
    const copy = join(folder, 'copy.gguf')
    copyFileSync(model, copy)
    expect(await live({ file: copy })).toEqual(whole)
    const later = new Date(Date.now() + 5_000)
    utimesSync(model, later, later)
    expect(await live()).toEqual(whole)
  })

  it('cannot be kept: everything goes on without', async () => {
    const notAFolder = join(folder, 'file')
    writeFileSync(notAFolder, '')
    expect(await live({ statesDir: join(notAFolder, 'states') })).toEqual(whole)
    expect(await live({ statesDir: join(notAFolder, 'states') })).toEqual(whole)
  })
})
