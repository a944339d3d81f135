import type { FoundServer } from '../../../shared/domain/model/model-found.ts'
import type { ServedChoice, ServedProfile } from '../../../shared/domain/model/model-profile.ts'
import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import type { Clock, Random } from '../../deps.ts'
import type { ControlStrings } from '../completion/break-control-strings.ts'
import type { RequestQueue } from '../completion/request-queue.ts'
import type { ModelClient } from './model-client.ts'
import type { ModelServer } from './server-http.ts'

/**
 * The parts that the host gives to every client of a server. Shape: `queue` is shared by all clients of this server;
 * `controls` are the control strings of all templates.
 */
export type ClientParts = {
  clock: Clock
  random: Random
  queue: RequestQueue
  template: TemplatePack
  controls: ControlStrings
  key: () => Promise<string | undefined>
}

/** Evidence of a server, or of a file, for its model's template. Null: it does not give it. */
export type TemplateEvidence = {
  chatTemplate: string | null
  modelName: string | null
  /** Tests whether a turn marker is one token of the model; null: that cannot be told. */
  isToken: ((marker: string) => Promise<boolean>) | null
}

/** A backend whose API is not OpenAI's, such as KoboldCpp. The choices and profiles in its calls are its own. */
export type OwnApi = {
  /**
   * Asks an address what it is and which models it has, by GET only. Every server without a list of models in OpenAI's
   * form gets the first request.
   *
   * Errors: `model/bad-response` for any other server, `model/unauthorized` for a wrong key, and those of a server
   * that does not answer.
   */
  identify(server: ModelServer, signal: AbortSignal): Promise<FoundServer>
  /** Asks for evidence of a model's template. Errors: `model/…`. */
  templateEvidence(server: ModelServer, choice: ServedChoice, signal: AbortSignal): Promise<TemplateEvidence>
  createClient(parts: ClientParts, profile: ServedProfile): ModelClient
}
