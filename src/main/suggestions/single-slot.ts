import type { ModelProfile } from '../../shared/domain/model-profile.ts'

const thisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.local)$/
const privateAddress = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[f[cd])/

/**
 * Whether a model's cache is one that the conversation would lose: everything that people run themselves, since
 * no server says for sure that another request has a slot of its own.
 */
export function isSingleSlot(profile: ModelProfile): boolean {
  if (profile.backend !== 'openai') return true
  if (profile.flavour !== undefined && profile.flavour !== 'other') return true
  const { hostname } = new URL(profile.address)
  return thisMachine.test(hostname) || privateAddress.test(hostname)
}
