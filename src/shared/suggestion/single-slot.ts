import type { ModelProfile, ModelRole } from '../domain/model/model-profile.ts'

const thisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.local)$/
const privateAddress = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[f[cd])/

/**
 * Returns true where another request could replace the conversation in a model's cache: for every server that people
 * run themselves, since none reports for sure that another request has its own slot.
 */
export function isSingleSlot(profile: ModelProfile): boolean {
  if (profile.backend !== 'openai') return true
  if (profile.flavour !== undefined && profile.flavour !== 'other') return true
  return isOwnPlace(profile.address)
}

/** Returns true where a server is the user's own by its address: on this machine or in a private network. */
export function isOwnPlace(address: string): boolean {
  const { hostname } = new URL(address)
  return thisMachine.test(hostname) || privateAddress.test(hostname)
}

/**
 * Returns true where a second model neither waits for the main one nor takes its cache: another process, another
 * server, or a service that serves many at once. Two models on one server of the user's own evict each other.
 */
export function isApart(main: ModelProfile, other: ModelProfile): boolean {
  if (main.id === other.id) return false
  if (main.backend === 'embedded' && other.backend === 'embedded') return main.file !== other.file
  const place = placeOf(main)
  if (place === null || place !== placeOf(other)) return true
  return !isSingleSlot(main) && !isSingleSlot(other)
}

/**
 * Returns the role of the model that explores the folder: the fast one where it works apart from the main one, else
 * the main one where it serves many requests at once. Null: either would take the cache that the conversation needs.
 *
 * Source: `docs/decisions/direct-path.md`, Explore.
 */
export function exploreRole(main: ModelProfile, fast: ModelProfile | null): ModelRole | null {
  if (fast !== null && isApart(main, fast)) return 'fast'
  return isSingleSlot(main) ? null : 'main'
}

/** Returns the server, or null where there is none. All names of this machine give the same result. */
function placeOf(profile: ModelProfile): string | null {
  if (!('address' in profile)) return null
  const { protocol, hostname, port } = new URL(profile.address)
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  const usualPort = protocol === 'https:' ? '443' : '80'
  return `${isHere ? 'localhost' : hostname}:${port === '' ? usualPort : port}`
}
