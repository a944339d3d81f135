import type { Constraint } from '../client/model-client.ts'
import { ServerRefusal } from '../client/openai-faults.ts'

/** What servers call the part of a request that a schema goes into. */
const aboutSchemas = /response_format|json[_ ]?schema|structured output|guided|grammar/i

/**
 * The schemas that a server would not take: it is asked again without them, and whoever wanted one reads the
 * answer as that of a model that was only asked for JSON.
 */
export class SchemaRefusals {
  readonly #refused = new Set<string>()
  #hasTaken = false

  /** True where it has refused some and never taken one. */
  get isTotal(): boolean {
    return this.#refused.size > 0 && !this.#hasTaken
  }

  /** The same request as this server takes it. */
  withoutRefused<T extends { constraint?: Constraint }>(request: T): T {
    const { constraint, ...rest } = request
    return constraint !== undefined && this.#isRefused(constraint) ? (rest as T) : request
  }

  /** True where the error was about this schema and it is not sent any more. */
  hears(error: unknown, constraint: Constraint | undefined): boolean {
    if (constraint === undefined || this.#isRefused(constraint)) return false
    const cause = error instanceof Error ? error.cause : undefined
    if (!(cause instanceof ServerRefusal) || !aboutSchemas.test(`${cause.param} ${cause.message}`))
      return false
    this.#refused.add(JSON.stringify(constraint))
    return true
  }

  /** An answer has come to a request with this one. */
  answered(constraint: Constraint | undefined): void {
    if (constraint !== undefined && !this.#isRefused(constraint)) this.#hasTaken = true
  }

  #isRefused(constraint: Constraint): boolean {
    return this.isTotal || this.#refused.has(JSON.stringify(constraint))
  }
}
