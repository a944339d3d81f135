import type { OpenaiProfile } from '../../../shared/domain/model/model-profile.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Log } from '../../deps.ts'
import type { ModelClient } from '../client/model-client.ts'

type Abilities = Pick<OpenaiProfile, 'continuation' | 'canCallTools'>

/**
 * Finds out by trials behind everything that waits how a server goes on in a text, and whether its model calls tools:
 * each once, where the server does not say it and no test has. One that does not answer now is asked at the next chance.
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
    // A test of the user's may have found it meanwhile.
    if (client.capabilities.hasTools || known()?.canCallTools !== undefined) return
    const canCallTools = await client.tryTools?.('background', signal)
    if (canCallTools != null) keep({ canCallTools })
  } catch (error) {
    if (!signal.aborted && !isAppError(error)) log.bug(error, 'model.abilities')
  }
}
