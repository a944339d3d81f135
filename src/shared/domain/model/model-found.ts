import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { Continuation, OpenaiFlavour, ServedChoice } from './model-profile.ts'

/** A server found at an address, with the models that can be chosen. */
export const FoundServer = z.object({
  backend: z.enum(ServedChoice.options.map(({ shape }) => shape.backend.value)),
  /** Only of a server of OpenAI's API. */
  flavour: OpenaiFlavour.optional(),
  address: z.string(),
  /** Loaded ones first; empty where a key is needed to list them. `name`: null where the server does not tell it. */
  models: z.array(z.object({ name: z.string().nullable(), choice: ServedChoice })),
  /** Of the server's one model; null where it has more, or does not tell it. */
  contextTokens: z.number().nullable(),
  needsKey: z.boolean(),
})
export type FoundServer = z.infer<typeof FoundServer>

/** A model on this machine that needs no form to be used. */
export const FoundModel = z.discriminatedUnion('backend', [
  FoundServer,
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
