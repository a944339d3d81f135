import type { ProbeResult } from '../../../shared/domain/model/model-found.ts'
import type { Sampler } from '../../../shared/domain/model/sampler.ts'
import { AppError } from '../../../shared/errors.ts'
import { shownModelName } from '../../../shared/text/model-name.ts'
import type { Clock, Random } from '../../deps.ts'
import { type ContextWindow, type ModelClient, plainPrompt } from '../client/model-client.ts'
import { SilenceWatch } from '../completion/silence-watch.ts'

const speedTokens = 24
const probeMs = 90_000

/**
 * Runs "Test this connection": finds the name, the context window, the speed of a few tokens, and whether constrained
 * output is really constrained: a schema demands a word that no model would write by chance.
 *
 * Shape: findings before a failure are returned with the error.
 * Source: `docs/decisions/models.md`, "Capabilities are probed, not believed".
 */
export async function probe(
  deps: { clock: Clock; random: Random },
  client: ModelClient,
  sampler: Sampler,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const limit = new SilenceWatch(deps.clock, signal)
  limit.expect('first-token', probeMs)
  const both = limit.signal
  const result: ProbeResult = {
    modelName: null,
    contextTokens: null,
    tokensPerSecond: null,
    canCountTokens: false,
    canConstrain: false,
    canCallTools: false,
    continuation: null,
    error: null,
  }
  try {
    const { modelName, context } = await client.describe(both)
    result.modelName = modelName === null ? null : shownModelName(modelName)
    result.contextTokens = knownTokens(context)
    result.canCountTokens =
      client.countTokens !== null && (await client.countTokens('one two three', both)) > 1
    const ask = { sampler, seed: 1, stops: [], conversation: 'probe' }
    const isConstrained = (endpoint: 'complete' | 'chat') =>
      followsSchema(client, endpoint, deps.random.id().slice(0, 8), ask, both)
    result.continuation = (await client.findContinuation?.('foreground', both)) ?? null
    const spoken = client.complete(
      { ...ask, prompt: plainPrompt('Once upon a time'), maxTokens: speedTokens, isEosBanned: true },
      both,
    )
    for await (const event of spoken)
      if (event.type === 'usage') result.tokensPerSecond = event.usage.tokensPerSecond
    // Both are tested, since a backend may have an endpoint for each.
    result.canConstrain = (await isConstrained('complete')) && (await isConstrained('chat'))
    const hasTools = client.tryTools
      ? await client.tryTools('foreground', both)
      : client.capabilities.hasTools
    result.canCallTools = hasTools === true
    // A server may have loaded the model only now, and may tell its window only after that.
    result.contextTokens ??= knownTokens(await client.contextWindow(both))
    both.throwIfAborted()
    return result
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error
    return { ...result, error: error.info }
  } finally {
    limit.close()
  }
}

/** Returns the size of a context window; null where it is only assumed. Units: tokens. */
function knownTokens(context: ContextWindow | null): number | null {
  return context === null || context.source === 'assumed' ? null : context.tokens
}

async function followsSchema(
  client: ModelClient,
  endpoint: 'complete' | 'chat',
  nonce: string,
  ask: { sampler: Sampler; seed: number; stops: string[]; conversation: string },
  signal: AbortSignal,
): Promise<boolean> {
  if (!client.capabilities.constraints.includes('json-schema')) return false
  const wanted = JSON.stringify({ nonce })
  const schema = {
    type: 'object',
    properties: { nonce: { type: 'string', enum: [nonce] } },
    required: ['nonce'],
    additionalProperties: false,
  }
  let text = ''
  const question = 'Answer with JSON:\n'
  const request = {
    ...ask,
    maxTokens: wanted.length * 2,
    constraint: { kind: 'json-schema', schema } as const,
    isThinkingOff: true,
  }
  const events =
    endpoint === 'chat'
      ? client.chat({ ...request, messages: [{ role: 'user', content: question }] }, signal)
      : client.complete({ ...request, prompt: plainPrompt(question) }, signal)
  for await (const event of events) {
    if (event.type === 'text') text += event.text
    if (event.type === 'replace') text = event.text
  }
  // Servers may insert spaces; any other text was not constrained.
  return text.replace(/\s+/g, '') === wanted
}
