import type { Constraint } from '../client/model-client.ts'
import { ServerRefusal } from '../client/openai-faults.ts'

/** Words that servers use for the part of a request with a schema. */
const aboutSchemas = /response_format|json[_ ]?schema|structured output|guided|grammar/i

/**
 * The schemas that a server has refused: the request is repeated without them, and the caller must read the answer as
 * that of a model that was only asked for JSON.
 */
export class SchemaRefusals {
  readonly #refused = new Set<string>()
  #hasAccepted = false

  /** True where the server has refused some schemas and never accepted one. */
  get isTotal(): boolean {
    return this.#refused.size > 0 && !this.#hasAccepted
  }

  /** Returns the request without a schema that the server has refused. */
  withoutRefused<T extends { constraint?: Constraint }>(request: T): T {
    const { constraint, ...rest } = request
    return constraint !== undefined && this.#isRefused(constraint) ? (rest as T) : request
  }

  /** Notes a refusal; returns true where the error was about this schema, which is not sent any more. */
  hears(error: unknown, constraint: Constraint | undefined): boolean {
    if (constraint === undefined || this.#isRefused(constraint)) return false
    const cause = error instanceof Error ? error.cause : undefined
    if (!(cause instanceof ServerRefusal) || !aboutSchemas.test(`${cause.param} ${cause.message}`))
      return false
    this.#refused.add(JSON.stringify(constraint))
    return true
  }

  /** Notes that a request with this constraint was answered. */
  answered(constraint: Constraint | undefined): void {
    if (constraint !== undefined && !this.#isRefused(constraint)) this.#hasAccepted = true
  }

  #isRefused(constraint: Constraint): boolean {
    return this.isTotal || this.#refused.has(JSON.stringify(constraint))
  }
}
