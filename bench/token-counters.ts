import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { TokenCounter } from '../src/main/drafting/fitting/token-meter.ts'
import { toPrompt } from '../src/main/drafting/prompt/draft-request.ts'
import { EngineProcess } from '../src/main/engine/engine-process.ts'
import type { ModelClient } from '../src/main/models/client/model-client.ts'
import { controlStringsOf } from '../src/main/models/completion/break-control-strings.ts'
import { RequestQueue } from '../src/main/models/completion/request-queue.ts'
import { createEmbeddedClient } from '../src/main/models/embedded/embedded-client.ts'
import { createKoboldClient } from '../src/main/models/kobold/kobold-client.ts'
import { systemClock as clock } from '../src/main/platform/clock.ts'
import { forkWorkers } from '../src/main/platform/node/fork-worker.ts'
import { systemRandom as random } from '../src/main/platform/random.ts'
import { defaultTimeouts } from '../src/shared/domain/model/model-profile.ts'
import { templatePack } from '../tests/fakes/rigs/fake-draft.ts'
import { silentLog as log } from '../tests/fakes/silent-log.ts'
import type { ModelFile } from './model-files.ts'

/**
 * Counts with a real tokenizer by one of the app's own clients, without a cache between counts.
 *
 * `baseline`: the same way without a cap, for the loop that does not know of it.
 */
export type CounterMethod = {
  name: string
  counter: TokenCounter
  baseline: TokenCounter
  close(): Promise<void>
}

const template = templatePack('mistral')
const engineEntry = resolve(import.meta.dirname, '../src/main/engine/engine-child.ts')

/** The embedded engine in its child process. */
export async function embeddedCounter({ name, file }: ModelFile): Promise<CounterMethod> {
  const spawnWorker = forkWorkers({ engine: engineEntry })
  const engine = new EngineProcess({ spawnWorker, clock, log }, { file, contextTokens: 512 })
  const client = createEmbeddedClient({ clock, engine }, { template, contextTokens: 512 })
  await client.describe(new AbortController().signal)
  const counter = counterOf(client)
  return { name: `${name}, embedded engine`, counter, baseline: counter, close: () => client.dispose() }
}

/** KoboldCpp's way to count over HTTP, with the cap of its answers. */
export async function httpCounter({ name, file }: ModelFile): Promise<CounterMethod> {
  const server = fork(resolve(import.meta.dirname, 'count-server.ts'), [file])
  const [{ port }] = (await once(server, 'message')) as [{ port: number }]
  const clientAt = (address: string) => {
    const options = { address, timeouts: defaultTimeouts, template, contextTokens: undefined }
    return createKoboldClient(
      { clock, random, queue: new RequestQueue() },
      { ...options, controls: controlStringsOf([]), key: async () => undefined },
    )
  }
  const address = `http://127.0.0.1:${port}`
  return {
    name: `${name}, over HTTP`,
    counter: counterOf(clientAt(address)),
    baseline: counterOf(clientAt(`${address}/uncapped`)),
    async close() {
      server.disconnect()
      await once(server, 'exit')
    },
  }
}

function counterOf({ countTokens }: ModelClient): TokenCounter {
  if (countTokens === null) throw new Error('this model has no counter')
  return {
    isEstimate: false,
    count: (parts, signal, { isPiece }) => countTokens(toPrompt(parts), signal, { isPiece }),
  }
}
