import type { OpenaiProfile } from '../../../shared/domain/model/model-profile.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Log } from '../../deps.ts'
import type { ModelClient } from '../client/model-client.ts'

type Abilities = Pick<OpenaiProfile, 'continuation' | 'canCallTools'>

/**
 * Tests in the background how a server continues a text and whether its model calls tools: each once, where neither the
 * server nor a test has told it. A server that does not answer is tried again at the next opportunity.
 */
export async function findAbilities(
  client: ModelClient,
  known: () => Abilities | undefined,
  keep: (found: Partial<Abilities>) => void,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (known()?.continuation === undefined) {
      const continuation = await client.findContinuation?.('background', signal)
      if (continuation) keep({ continuation })
    }
    // A test by the user may have found the answer meanwhile.
    if (client.capabilities.hasTools || known()?.canCallTools !== undefined) return
    const canCallTools = await client.tryTools?.('background', signal)
    if (canCallTools != null) keep({ canCallTools })
  } catch (error) {
    if (!signal.aborted && !isAppError(error)) log.bug(error, 'model.abilities')
  }
}
