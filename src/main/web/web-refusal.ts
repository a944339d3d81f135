/** Why a page was not read; `tool-words.json` has the sentences as `web.<reason>`. */
export type WebRefusalReason =
  | 'bad-address'
  | 'has-password'
  | 'private'
  | 'other-site'
  | 'redirects'
  | 'timeout'
  | 'status'
  | 'unreachable'
  | 'not-text'
  | 'too-complex'

export class WebRefusal extends Error {
  readonly reason: WebRefusalReason
  readonly values: Readonly<Record<string, string | number>>

  constructor(reason: WebRefusalReason, values: Readonly<Record<string, string | number>> = {}) {
    super(reason)
    this.name = 'WebRefusal'
    this.reason = reason
    this.values = values
  }
}
