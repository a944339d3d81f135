/** How fast a real small model reads and writes, and how the number of threads affects it. */
import { existsSync } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { getLlama, LlamaLogLevel } from 'node-llama-cpp'
import { EngineProcess } from '../src/main/engine/engine-process.ts'
import { plainPrompt } from '../src/main/models/client/model-client.ts'
import { createEmbeddedClient, type EmbeddedClient } from '../src/main/models/embedded/embedded-client.ts'
import { systemClock as clock } from '../src/main/platform/clock.ts'
import { dataFolderPath } from '../src/main/platform/files/data-folder.ts'
import { forkWorkers } from '../src/main/platform/node/fork-worker.ts'
import type { ModelUsage } from '../src/shared/domain/model/model-status.ts'
import { templatePack } from '../tests/fakes/rigs/fake-draft.ts'
import { silentLog as log } from '../tests/fakes/silent-log.ts'
import { speedOfServer } from './llama-server.ts'
import { type BenchOptions, comparisonTable, type Report, type Table } from './report.ts'

const starters = [
  { name: 'SmolLM2-135M-Instruct Q4_1', file: 'SmolLM2-135M-Instruct.Q4_1.gguf' },
  { name: 'Gemma 3 270M Q4_K_M', file: 'gemma-3-270m-q4_k_m.gguf' },
]
/** Time after which a run is stopped: a wrong number of threads is hundreds of times slower. */
const longestMs = 15_000
/** Time limit of a completion on a busy machine. */
const longestCompletionMs = 120_000
const paragraph =
  'The bell of the old tower rang thirteen times that night, and nobody in the town could say why. '
const sampler = { temperature: 0.7, topK: 40, topP: 0.9, minP: 0.05 }

export async function measure({ isQuick, llamaServer }: BenchOptions): Promise<Report> {
  const folder = modelFolder()
  const found = starters.filter(({ file }) => existsSync(join(folder, file)))
  const tables: Table[] = []
  for (const { name, file } of found)
    tables.push(...(await measureModel(name, join(folder, file), isQuick, llamaServer)))
  const skipped = starters.filter((starter) => !found.includes(starter)).map(({ name }) => name)
  return {
    title: 'The starter models',
    about: [
      'Baseline of writing: the same file in the engine’s library with the number of threads that it takes by itself, stopped after 15 s; of reading: one thread on every core. Threads wait for each other by spinning: where something else needs the cores too, more of them are slower.',
      ...(skipped.length > 0
        ? [
            `Skipped, since the file is neither in TSUGI_TEST_MODELS nor in the data folder: ${skipped.join(', ')}.`,
          ]
        : []),
    ],
    tables,
  }
}

function modelFolder(): string {
  const { platform, env } = process
  return env.TSUGI_TEST_MODELS ?? join(dataFolderPath({ platform, env, home: homedir() }), 'models')
}

async function measureModel(
  name: string,
  file: string,
  isQuick: boolean,
  llamaServer: string | null,
): Promise<Table[]> {
  const maxTokens = isQuick ? 50 : 200
  const prompt = paragraph.repeat(isQuick ? 15 : 60)
  const engine = new EngineProcess(
    {
      spawnWorker: forkWorkers({
        engine: resolve(import.meta.dirname, '../src/main/engine/engine-child.ts'),
      }),
      clock,
      log,
    },
    { file, contextTokens: 4_096 },
  )
  const client = createEmbeddedClient(
    { clock, engine },
    { template: templatePack('plain'), contextTokens: 4_096 },
  )
  const { threads } = await engine.model(new AbortController().signal)
  const cold = await complete(client, prompt, maxTokens)
  const again = await complete(client, `${prompt}\nShe listened.`, maxTokens)
  await client.dispose()
  const own = await speedOf(file, paragraph, undefined, maxTokens)
  const cores = availableParallelism()
  const all = await speedOf(file, prompt, cores, maxTokens)
  const tokens = cold.promptTokens
  // Right after the engine's own run, with the same threads, so that other load of the machine affects both.
  const server =
    llamaServer === null
      ? null
      : await speedOfServer({
          program: llamaServer,
          file,
          threads,
          contextTokens: 4_096,
          prompt,
          maxTokens,
          sampler,
        })
  const writing = { unit: 'tokens/s', baseline: own.tokensPerSecond } as const
  const reading = { unit: 'ms', baseline: all.msPrompt } as const
  return [
    comparisonTable(`${name}, writing`, `the library's own ${own.threads} threads`, [
      { measure: `as the engine is set, ${threads} threads`, value: cold.tokensPerSecond, ...writing },
      { measure: `every core, ${cores} threads`, value: all.tokensPerSecond, ...writing },
    ]),
    comparisonTable(`${name}, reading ${tokens} tokens`, `every core, ${cores} threads`, [
      { measure: 'cold, as the engine reads', value: cold.msPrompt, ...reading },
      { measure: 'again, with a line more', value: again.msPrompt, ...reading },
    ]),
    ...(server === null
      ? []
      : [
          comparisonTable(`${name}, beside llama-server with ${threads} threads`, 'llama-server', [
            {
              measure: 'writing',
              unit: 'tokens/s',
              value: cold.tokensPerSecond,
              baseline: server.tokensPerSecond,
              goal: { leastTimes: 0.9 },
            },
            {
              measure: `reading ${tokens} tokens, cold`,
              unit: 'ms',
              value: cold.msPrompt,
              baseline: server.msPrompt,
            },
          ]),
        ]),
  ]
}

async function complete(client: EmbeddedClient, prompt: string, maxTokens: number): Promise<ModelUsage> {
  const request = {
    prompt: plainPrompt(prompt),
    sampler: { ...sampler, repeatPenalty: 1, repeatRange: 0 },
    maxTokens,
    stops: [],
    seed: 1,
    isEosBanned: true,
  }
  for await (const event of client.complete(request, AbortSignal.timeout(longestCompletionMs))) {
    if (event.type === 'usage') return event.usage
  }
  throw new Error(`no figures within ${longestCompletionMs / 1_000} s: the machine is too busy`)
}

/** The library by itself. `threads` undefined: its own choice. */
async function speedOf(file: string, text: string, threads: number | undefined, maxTokens: number) {
  const llama = await getLlama({
    build: 'never',
    logLevel: LlamaLogLevel.error,
    progressLogs: false,
    ...(threads === undefined ? {} : { maxThreads: threads }),
  })
  const model = await llama.loadModel({ modelPath: file })
  const context = await model.createContext({
    contextSize: 4_096,
    ...(threads === undefined ? {} : { threads }),
  })
  const sequence = context.getSequence()
  const prompt = model.tokenize(text)
  let written = 0
  const startedAt = performance.now()
  let firstAt = startedAt
  for await (const _ of sequence.evaluate(prompt, sampler)) {
    if (written === 0) firstAt = performance.now()
    written += 1
    if (written >= maxTokens || performance.now() - firstAt > longestMs) break
  }
  const seconds = (performance.now() - firstAt) / 1_000
  const used = context.currentThreads || context.idealThreads
  await llama.dispose()
  return { threads: used, msPrompt: firstAt - startedAt, tokensPerSecond: (written - 1) / seconds }
}
