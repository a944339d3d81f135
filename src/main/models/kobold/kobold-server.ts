import { createSerialQueue } from '../../../shared/serial-queue.ts'
import type { OwnApi } from '../client/own-api.ts'
import { KoboldApi } from './kobold-api.ts'
import { createKoboldClient } from './kobold-client.ts'

/** KoboldCpp by its native API. Source: KoboldCpp 1.76 as measured. */
export const koboldServer: OwnApi = {
  async identify(server, signal) {
    const api = new KoboldApi(server)
    const { protected: isProtected } = await api.version(signal)
    // One request after the other: the server has few threads, and the first answer must show that it is KoboldCpp.
    const name = await api.modelName(signal)
    const contextTokens = await api.contextTokens(signal)
    const { address } = server
    const models = [{ name, choice: { backend: 'koboldcpp', address } as const }]
    return { backend: 'koboldcpp', address, models, contextTokens, needsKey: isProtected && name === null }
  },
  async templateEvidence(server, _choice, signal) {
    const api = new KoboldApi(server)
    const modelName = await api.modelName(signal)
    // One count at a time: the server mixes up parallel ones.
    const inTurn = createSerialQueue()
    const isToken = async (marker: string): Promise<boolean> =>
      (await inTurn(() => api.countTokens(marker, false, signal))) === 1
    return { chatTemplate: null, modelName, isToken }
  },
  createClient({ clock, random, queue, ...parts }, { address, timeouts, contextTokens }) {
    return createKoboldClient({ clock, random, queue }, { ...parts, address, timeouts, contextTokens })
  },
}
