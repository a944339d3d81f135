import { createFakeLlamaServer, type FakeLlamaServer, type LlamaOptions } from './fake-llama-server.ts'

/** Starts a llama.cpp server as sessions need it: it calls tools, and its context holds some turns. */
export function startSessionLlama(options: LlamaOptions = {}): Promise<FakeLlamaServer> {
  return createFakeLlamaServer({ contextTokens: 32_768, slots: 1, template: 'tools', ...options })
}

/** Returns the choice of a llama.cpp server's model, as `model.use` takes it. */
export function servedModel(address: string, model = 'fake') {
  return { backend: 'openai', address, model, flavour: 'llama.cpp' } as const
}
