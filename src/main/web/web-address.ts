import { WebRefusal } from './web-refusal.ts'

/** Units: UTF-16 units. */
const limitLength = 2_000

/** Reads an address as a page can have it. Errors: `WebRefusal` for any other. */
export function readAddress(text: string): URL {
  const url = text.length > limitLength ? null : URL.parse(text.trim())
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw new WebRefusal('bad-address')
  if (url.username !== '' || url.password !== '') throw new WebRefusal('has-password')
  url.hash = ''
  return url
}

/** What consent for a site is about: the same name with `www.` is the same site, another port another one. */
export function siteOf({ host }: URL): string {
  return host.replace(/^www\./, '')
}
