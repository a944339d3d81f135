import { isDeepStrictEqual } from 'node:util'
import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import type { ProfileMaking } from '../profiles/model-choice.ts'

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
  if (profile.backend !== 'koboldcpp' && profile.backend !== 'openai') return undefined
  const templateId = await deps.templateOf(profile, await key())
  // The user, or another question, may have changed the profile meanwhile.
  if (templateId === null || !isDeepStrictEqual(deps.stored(), profile)) return undefined
  return { ...profile, templateId, templateGuessedFor: served }
}
