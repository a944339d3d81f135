import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { Continuation, OpenaiFlavour } from './model-profile.ts'

/** A server found at an address: a KoboldCpp with its model, or a server of OpenAI's API with one model or more. */
export const FoundServer = z.discriminatedUnion('backend', [
  z.object({
    backend: z.literal('koboldcpp'),
    address: z.string(),
    modelName: z.string().nullable(),
    contextTokens: z.number().nullable(),
    version: z.string().nullable(),
    needsKey: z.boolean(),
  }),
  z.object({
    backend: z.literal('openai'),
    address: z.string(),
    flavour: OpenaiFlavour,
    /** Names as requests use them, loaded models first; empty where a key is needed to list them. */
    models: z.array(z.string()),
    needsKey: z.boolean(),
  }),
])
export type FoundServer = z.infer<typeof FoundServer>

/** A model on this machine that needs no form to be used. */
export const FoundModel = z.discriminatedUnion('backend', [
  ...FoundServer.options,
  z.object({
    backend: z.literal('embedded'),
    file: z.string(),
    modelName: z.string(),
    contextTokens: z.number().nullable(),
    sizeBytes: z.number(),
    languages: z.array(z.string()),
  }),
])
export type FoundModel = z.infer<typeof FoundModel>

/** The result of "test this connection". Null: could not be determined. */
export const ProbeResult = z.object({
  modelName: z.string().nullable(),
  contextTokens: z.number().nullable(),
  tokensPerSecond: z.number().nullable(),
  canCountTokens: z.boolean(),
  /** True where the server obeys a constraint on its output; tested with a nonce, not taken on the server's word. */
  canConstrain: z.boolean(),
  /** True where the model calls tools natively; otherwise calls are requested as constrained output. */
  canCallTools: z.boolean(),
  /** Null: this backend has only one kind of continuation. */
  continuation: Continuation.nullable(),
  error: ErrorInfo.nullable(),
})
export type ProbeResult = z.infer<typeof ProbeResult>
