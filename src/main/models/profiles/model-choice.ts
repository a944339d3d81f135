import {
  defaultTimeouts,
  type ModelProfile,
  type OpenaiFlavour,
} from '../../../shared/domain/model/model-profile.ts'
import { shownModelName } from '../../../shared/text/model-name.ts'

/** A choice of a model that needs no form: what discovery found, or a file that the user picked. */
export type ModelChoice =
  | { backend: 'koboldcpp'; address: string }
  | OpenaiChoice
  | { backend: 'embedded'; file: string }
  | { backend: 'demo'; language: 'ja' | 'en' }

/** One model of a server with OpenAI's API. `flavour`: undefined where it was not found out. */
type OpenaiChoice = {
  backend: 'openai'
  address: string
  model: string
  flavour?: OpenaiFlavour | undefined
}

/** Facts about a GGUF file that are known before it is loaded. */
export type ModelFileFacts = { name: string; templateId: string; languages: readonly string[] }

/** The template of a model without evidence of how it was trained. */
export const fallbackTemplateId = 'mistral'

const longestName = 200

/** The services and defaults for making a new profile. */
export type ProfileMaking = {
  newId(): string
  samplerPresetId: string
  /** Errors: `model/bad-file`, `file/not-found`. */
  readModelFile(file: string): Promise<ModelFileFacts>
  /** Guesses the template that a server's model was trained with; null where that fails. Never rejects. */
  templateOf(
    choice: Extract<ModelChoice, { backend: 'koboldcpp' | 'openai' }>,
    key: string | undefined,
  ): Promise<string | null>
}

/** True where a profile already is for the choice. */
export function isSame(profile: ModelProfile, choice: ModelChoice): boolean {
  if (profile.backend === 'koboldcpp')
    return choice.backend === 'koboldcpp' && profile.address === choice.address
  if (profile.backend === 'openai') {
    return choice.backend === 'openai' && profile.address === choice.address && profile.model === choice.model
  }
  if (profile.backend === 'embedded') return choice.backend === 'embedded' && profile.file === choice.file
  return choice.backend === 'demo' && profile.language === choice.language
}

/**
 * Makes a new profile of a choice. `key`: the API key for requests to its server.
 *
 * Errors: `model/bad-file`, `file/not-found`.
 */
export async function profileOf(
  choice: ModelChoice,
  key: string | undefined,
  deps: ProfileMaking,
): Promise<ModelProfile> {
  const common = {
    id: deps.newId(),
    templateId: fallbackTemplateId,
    samplerPresetId: deps.samplerPresetId,
    timeouts: defaultTimeouts,
    isTemplateGuessed: true,
  }
  switch (choice.backend) {
    case 'koboldcpp': {
      const templateId = (await deps.templateOf(choice, key)) ?? fallbackTemplateId
      return {
        ...common,
        ...choice,
        templateId,
        name: `KoboldCpp (${new URL(choice.address).host})`,
        hasKey: false,
      }
    }
    case 'openai': {
      const { flavour, ...place } = choice
      const name = `${shownModelName(choice.model)} (${new URL(choice.address).host})`.slice(0, longestName)
      const templateId = (await deps.templateOf(choice, key)) ?? fallbackTemplateId
      return { ...common, ...place, ...(flavour && { flavour }), name, templateId, hasKey: false }
    }
    case 'embedded': {
      const { name, templateId } = await deps.readModelFile(choice.file)
      return { ...common, ...choice, name, templateId }
    }
    case 'demo':
      return { ...common, ...choice, name: 'Demo', templateId: 'plain', isTemplateGuessed: false }
  }
}

/** Returns a profile without findings about a server or model that it no longer names. */
export function withoutFindings(profile: ModelProfile, before: ModelProfile | undefined): ModelProfile {
  if (profile.backend !== 'openai' || before?.backend !== 'openai') return profile
  const { flavour, canCallTools, continuation, ...rest } = profile
  const isSameServer = profile.address === before.address
  const isSameModel = isSameServer && profile.model === before.model
  return {
    ...rest,
    ...(isSameServer && flavour && { flavour }),
    ...(isSameModel && canCallTools !== undefined && { canCallTools }),
    ...(isSameModel && continuation && { continuation }),
  }
}
