import type { z } from 'zod'
import type { Continuation } from '../../../shared/domain/model/model-profile.ts'
import type { OpenaiFacts } from '../client/openai-facts.ts'
import type { OpenaiHttp } from '../client/openai-http.ts'
import type { SamplerDialect } from '../client/sampler-table.ts'

/** The differences of one kind of server that speaks OpenAI's API from the others. */
export type Flavour = {
  /** The port that it documents; null where it has none, or another server's, so that it is not looked for. */
  usualPort: number | null
  /** `owned_by` in its list of models, where that is its own word. It is compared before any `mark` is asked for. */
  owner?: string
  /**
   * A GET that only this server answers in this shape, for versions of it whose list of models does not name it. Every
   * unknown server of the local network gets this request; servers on the internet do not.
   */
  mark?: { path: string; shape: z.ZodType }
  /** Returns the models that write text. Absent: all of its list. Errors: `model/…`. */
  listModels?: (http: OpenaiHttp, signal: AbortSignal) => Promise<string[]>
  /**
   * Asks about one of its models. Null: the server does not answer the paths of this flavour, since it is an older version
   * or another server, or behind a proxy that passes on only OpenAI's API.
   *
   * Errors: `model/…`; `model/server-error` with what the server said of a model that it does not have or cannot load.
   */
  readFacts(question: FactQuestion): Promise<OpenaiFacts | null>
  sampler: SamplerDialect
  /**
   * Request that continues a prompt until a trial request has shown what the server supports. `llama`: always
   * `/completion`, which takes constraints; no trial is made.
   */
  completion: 'llama' | Continuation
  /** `/v1/completions` applies the model's own template, unless the server's count of tokens shows otherwise. */
  wrapsPrompts: boolean
  /** Counts by `/tokenize` and `input_tokens`. */
  hasCounter: boolean
  /** Each answer has the server's own count of the tokens that were not read again. */
  hasReuseCount: boolean
  hasGbnf: boolean
  /** Takes `ignore_eos`. */
  canBanEnd: boolean
  /** Silently cuts a prompt that is too long. */
  cutsSilently: boolean
  stopLimit: number
  /** Handles many requests at the same time, whatever their size. */
  isBatching: boolean
}

export type FactQuestion = {
  http: OpenaiHttp
  model: string
  signal: AbortSignal
  /** How long a model may take to be loaded. */
  loadMs: number
  /** The facts that the server gave at an earlier call; absent at the first call. */
  before?: OpenaiFacts | undefined
}
