import { join } from 'node:path'
import type { ModelProfile, OpenaiProfile } from '../../shared/domain/model/model-profile.ts'
import type { TemplatePack } from '../../shared/domain/model/template-pack.ts'
import type { Deps } from '../deps.ts'
import { EngineProcess } from '../engine/engine-process.ts'
import type { ModelClient } from './client/model-client.ts'
import type { ControlStrings } from './completion/break-control-strings.ts'
import { RequestQueue } from './completion/request-queue.ts'
import { DemoClient, type DemoScript } from './demo/demo-client.ts'
import type { NamesImages, WindowOfName } from './discovery/known-windows.ts'
import { EmbeddedClient } from './embedded/embedded-client.ts'
import { KoboldClient } from './kobold/kobold-client.ts'
import type { CacheMarksOf } from './openai/cache-marks.ts'
import { OpenaiClient } from './openai/openai-client.ts'

/** An embedded model without a request for this long is unloaded. Units: milliseconds. */
const idleUnloadMs = 30 * 60_000

export type ClientMaking = Pick<Deps, 'clock' | 'random' | 'log' | 'spawnWorker' | 'dataDir'> & {
  scripts: Record<'ja' | 'en', DemoScript>
  controls: ControlStrings
  windowOfName: WindowOfName
  namesImages: NamesImages
  cacheMarksOf: CacheMarksOf
}

export type CreateClient = (
  profile: ModelProfile,
  template: TemplatePack,
  key: () => Promise<string | undefined>,
) => ModelClient

/** Returns a factory of clients, one for each profile in use. Clients of one model on one server share a queue. */
export function clientMaker(deps: ClientMaking): CreateClient {
  const { clock, random, controls, windowOfName, namesImages, cacheMarksOf } = deps
  const queues = new Map<string, RequestQueue>()

  /** Slots of a llama-server share one cache, whatever the model: all running requests together must fit in it. */
  function queueOf({ address, flavour, model }: OpenaiProfile): RequestQueue {
    const place = JSON.stringify([new URL(address).host, flavour === 'llama.cpp' ? null : model])
    const queue = queues.get(place) ?? new RequestQueue()
    queues.set(place, queue)
    return queue
  }

  return (profile, template, key) => {
    const { contextTokens } = profile
    switch (profile.backend) {
      case 'koboldcpp': {
        const { address, timeouts } = profile
        return new KoboldClient(
          { clock, random },
          { address, timeouts, template, contextTokens, key, controls },
        )
      }
      case 'openai': {
        const { address, model, flavour, timeouts, canCallTools, continuation, takesImages } = profile
        const options = {
          address,
          model,
          flavour,
          timeouts,
          canCallTools,
          continuation,
          contextTokens,
          key,
          controls,
          windowOfName,
          namesImages,
          takesImages,
        }
        return new OpenaiClient(
          { clock, queue: queueOf(profile) },
          { ...options, ...cacheMarksOf(address, model) },
        )
      }
      case 'embedded': {
        const statesDir = join(deps.dataDir, 'engine-states')
        const engine = new EngineProcess(deps, {
          file: profile.file,
          contextTokens,
          idleUnloadMs,
          statesDir,
          checkFile: async (file) => (await import('./embedded/gguf-metadata.ts')).readGgufMetadata(file),
        })
        return new EmbeddedClient({ clock, engine }, { template, contextTokens })
      }
      case 'demo':
        return new DemoClient(
          { clock },
          { scripts: deps.scripts, language: profile.language, template, contextTokens },
        )
    }
  }
}
