/** A request that the server refuses, with the status and the error object of its reply. */
export class Refusal extends Error {
  readonly status: number
  readonly error: Record<string, unknown>

  constructor(status: number, message: string, more: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.error = { code: status, message, type: typeOf(status), ...more }
  }

  get body(): { error: Record<string, unknown> } {
    return { error: this.error }
  }
}

export function contextRefusal(promptTokens: number, contextTokens: number): Refusal {
  return new Refusal(
    400,
    `request (${promptTokens} tokens) exceeds the available context size (${contextTokens} tokens), try increasing it`,
    { type: 'exceed_context_size_error', n_prompt_tokens: promptTokens, n_ctx: contextTokens },
  )
}

/** The replies that come before a request is looked at; the key order is theirs. */
export const fixedErrors = {
  loading: [503, { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } }],
  unauthorized: [401, { error: { message: 'Invalid API Key', type: 'authentication_error', code: 401 } }],
  notFound: [404, { error: { message: 'File Not Found', type: 'not_found_error', code: 404 } }],
  disabled: [403, { error: { message: 'this feature is disabled', type: 'feature_disabled' } }],
} as const

/** What the server says when it cannot read the model's own output as the template's format. */
export function unreadableOutput(): Refusal {
  return new Refusal(500, 'The model produced output that does not match the expected peg-native format')
}

function typeOf(status: number): string {
  switch (status) {
    case 400:
      return 'invalid_request_error'
    case 501:
      return 'not_supported_error'
    case 503:
      return 'unavailable_error'
    default:
      return 'server_error'
  }
}
