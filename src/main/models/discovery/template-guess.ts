import { z } from 'zod'
import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import type { TemplateEvidence } from '../client/own-api.ts'
import { guessTemplateId } from '../profiles/template-pack.ts'

/** Data: `resources/template-names.json`; the first pattern that matches a name counts. */
const NameTable = z.object({
  names: z.array(z.object({ pattern: z.string().min(1), templateId: z.string().min(1) })),
})
type TemplateNames = readonly { pattern: RegExp; templateId: string }[]

/** The template for models that have none: the text is sent as it is. */
const plainTemplateId = 'plain'
/** Markers in angle brackets are control tokens; `[INST]` and headings were text in older models. */
const turnMarker = /<\|?[\w/ -]+\|?>/g

export async function loadTemplateNames(file: string): Promise<TemplateNames> {
  const { names } = NameTable.parse(JSON.parse(await readSmallText(file)))
  return names.map(({ pattern, templateId }) => ({ pattern: new RegExp(pattern, 'i'), templateId }))
}

/**
 * Guesses the template that a model was trained with: by the chat template that its server or file shows, else by
 * its name. A template whose turn markers are not tokens of the model is not its own: servers show a general one for a
 * model that has none, and `plain` is returned then.
 *
 * Shape: null where there is no evidence. Errors: as `isToken`.
 */
export async function guessTemplate(
  deps: { templates: ReadonlyMap<string, TemplatePack>; names: TemplateNames },
  { chatTemplate, modelName, isToken }: TemplateEvidence,
): Promise<string | null> {
  const fits = async (templateId: string): Promise<boolean> => {
    const markers = turnMarkers(deps.templates.get(templateId))
    const known = await Promise.all(isToken === null ? [] : markers.map(isToken))
    return known.every((isOne) => isOne)
  }
  const shown = guessTemplateId(chatTemplate)
  if (shown !== null && (await fits(shown))) return shown
  const named = deps.names.find(({ pattern }) => pattern.test(modelName ?? ''))?.templateId
  if (named !== undefined && (await fits(named))) return named
  return shown !== null || named !== undefined ? plainTemplateId : null
}

/** Returns the control tokens that a template is written with. */
export function turnMarkers(pack: TemplatePack | undefined): string[] {
  if (pack === undefined) return []
  return [...new Set([pack.wrapper, ...pack.stops].flatMap((text) => text.match(turnMarker) ?? []))]
}
