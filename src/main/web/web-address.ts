/** Units: UTF-16 units. */
const limitLength = 2_000

/** Parses the address of a page. Errors: `WebRefusal` where a page cannot have such an address. */
export function readAddress(text: string): URL {
  const url = text.length > limitLength ? null : URL.parse(text.trim())
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw new WebRefusal('bad-address')
  if (url.username !== '' || url.password !== '') throw new WebRefusal('has-password')
  url.hash = ''
  return url
}

/** Returns the site to which consent applies: `www.` before the name does not count, another port is another site. */
export function siteOf({ host }: URL): string {
  return host.replace(/^www\./, '')
}

/** Why a page was not read; `tool-words.json` has the sentences as `web.<reason>`. */
type WebRefusalReason =
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
