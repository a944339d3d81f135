import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { parametersInName } from '../../../shared/text/model-name.ts'

/** Below this size, a model answers an instruction more often than it writes on. Units: billions of parameters. */
const leastParameters = 1

/** Says why a model may continue better from text alone: it knows no instructions, or is too small to follow them. */
export function textOnlyReason(
  profile: ModelProfile | undefined,
  modelName: string | null,
): 'base' | 'small' | null {
  if (profile === undefined || profile.backend === 'demo') return null
  if (profile.templateId === 'plain') return 'base'
  const names = [modelName, profile.backend === 'embedded' ? profile.file : null, profile.name]
  const [parameters] = names.flatMap((name) => parametersInName(name ?? '') ?? [])
  return parameters !== undefined && parameters < leastParameters ? 'small' : null
}
