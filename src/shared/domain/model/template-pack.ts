import { z } from 'zod'

/**
 * The prompt format of one family of models; data in `resources/templates`.
 *
 * Shape: `wrapper` holds `{{inner}}` once and ends with `{{suffix}}`; `stops` end a completion, as the user's own do.
 */
export const TemplatePack = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  wrapper: z.string().refine(isWrapper, { error: 'wants {{inner}} once and {{suffix}} at the end' }),
  stops: z.array(z.string().min(1)),
  /** The text that closes an answer of the model where another question follows. */
  turnEnd: z.string().optional(),
})
export type TemplatePack = z.infer<typeof TemplatePack>

function isWrapper(text: string): boolean {
  return text.endsWith('{{suffix}}') && text.includes('{{inner}}') && text.split('{{').length === 3
}
