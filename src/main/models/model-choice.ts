import { defaultTimeouts, type ModelProfile } from '../../shared/domain/model-profile.ts'

/** A way to a model that needs no form: what discovery found, or a file that the user picked. */
export type ModelChoice =
  | { backend: 'koboldcpp'; address: string }
  | { backend: 'embedded'; file: string }
  | { backend: 'demo'; language: 'ja' | 'en' }

/** What is known of a GGUF file before it is loaded. */
export type ModelFileFacts = { name: string; templateId: string; languages: readonly string[] }

/** The template of a model of which nothing says how it was trained. */
export const fallbackTemplateId = 'mistral'

/** What a new profile is made with. */
export type ProfileMaking = {
  newId(): string
  samplerPresetId: string
  /** Errors: `model/bad-file`, `file/not-found`. */
  readModelFile(file: string): Promise<ModelFileFacts>
}

/** Whether a profile already is what was chosen. */
export function isSame(profile: ModelProfile, choice: ModelChoice): boolean {
  if (profile.backend === 'koboldcpp')
    return choice.backend === 'koboldcpp' && profile.address === choice.address
  if (profile.backend === 'embedded') return choice.backend === 'embedded' && profile.file === choice.file
  return choice.backend === 'demo' && profile.language === choice.language
}

/**
 * A new profile of a choice.
 *
 * Errors: `model/bad-file`, `file/not-found`.
 */
export async function profileOf(choice: ModelChoice, deps: ProfileMaking): Promise<ModelProfile> {
  const common = {
    id: deps.newId(),
    templateId: fallbackTemplateId,
    samplerPresetId: deps.samplerPresetId,
    timeouts: defaultTimeouts,
  }
  switch (choice.backend) {
    case 'koboldcpp':
      return { ...common, ...choice, name: `KoboldCpp (${new URL(choice.address).host})`, hasKey: false }
    case 'embedded': {
      const { name, templateId } = await deps.readModelFile(choice.file)
      return { ...common, ...choice, name, templateId }
    }
    case 'demo':
      return { ...common, ...choice, name: 'Demo', templateId: 'plain' }
  }
}
