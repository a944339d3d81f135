import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'
import { Continuation, OpenaiFlavour } from './model-profile.ts'

/** What is served at an address: a KoboldCpp with its model, or a server of OpenAI's API with one or more. */
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
    /** As requests name them, those that are loaded first; empty where a key is needed to see them. */
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

/** What "test this connection" found out. Null: could not be told. */
export const ProbeResult = z.object({
  modelName: z.string().nullable(),
  contextTokens: z.number().nullable(),
  tokensPerSecond: z.number().nullable(),
  canCountTokens: z.boolean(),
  /** Checked with a nonce, not believed. */
  canConstrain: z.boolean(),
  /** Answers with calls of tools by itself; elsewhere they are asked for as constrained output. */
  canCallTools: z.boolean(),
  /** Null: this backend has one way only. */
  continuation: Continuation.nullable(),
  error: ErrorInfo.nullable(),
})
export type ProbeResult = z.infer<typeof ProbeResult>
