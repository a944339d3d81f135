import { serve } from '../../shared/rpc/serve.ts'
import type { HostPort } from '../../shared/wire.ts'
import type { Log } from '../deps.ts'
import { engineContract } from './engine-contract.ts'
import type { LlamaEngine } from './llama-engine.ts'

/** Answers the engine contract on a port. */
export function serveEngine(port: HostPort, engine: LlamaEngine, log: Log): void {
  serve(
    port,
    engineContract,
    {
      'engine.load': ({ file, contextTokens, statesDir }) => engine.load(file, contextTokens, statesDir),
      'engine.count': async ({ segments, isPiece }) => ({ tokens: engine.count(segments, isPiece) }),
      'engine.complete': (request, { signal }) => engine.complete(request, signal),
      'engine.words': ({ segments, conversation }, { signal }) =>
        engine.words(segments, conversation, signal),
      'engine.stop': async ({ id }) => {
        engine.stop(id)
        return {}
      },
      'engine.save': async (_input, { signal }) => {
        await engine.save(true, signal)
        return {}
      },
      'engine.stats': async () => engine.stats(),
    },
    { log },
  )
}
