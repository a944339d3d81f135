import { isDeepStrictEqual } from 'node:util'
import type { ModelProfile, OpenaiProfile } from '../../../shared/domain/model/model-profile.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Log } from '../../deps.ts'
import type { ModelClient } from '../client/model-client.ts'
import { isServed, type ProfileMaking } from '../profiles/model-profiles.ts'

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

/**
 * Guesses a template that the user has not confirmed again, where the server serves another model than it was guessed
 * for, or gave no evidence then. Returns the changed profile; undefined where it stays as it is.
 */
export async function guessAgain(
  deps: Pick<ProfileMaking, 'templateOf'> & { stored(): ModelProfile | undefined },
  served: string | null,
  key: () => Promise<string | undefined>,
): Promise<ModelProfile | undefined> {
  const profile = deps.stored()
  if (served === null || !profile?.isTemplateGuessed || profile.templateGuessedFor === served)
    return undefined
  if (!isServed(profile)) return undefined
  const templateId = await deps.templateOf(profile, await key())
  // The user, or another question, may have changed the profile meanwhile.
  if (templateId === null || !isDeepStrictEqual(deps.stored(), profile)) return undefined
  return { ...profile, templateId, templateGuessedFor: served }
}
