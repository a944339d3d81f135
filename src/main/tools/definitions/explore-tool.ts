import { z } from 'zod'
import { isAppError } from '../../../shared/errors.ts'
import { harmless } from '../defining/result-text.ts'
import { defineTool, failedResult, say, type ToolContext, ToolRefusal, worldCall } from '../defining/tool.ts'
import type { CallHooks, CallResult } from '../prepared-call.ts'

export const exploreTool = defineTool({
  name: 'explore',
  args: z.strictObject({ question: z.string().min(1) }),
  about: 'question',
  async prepare({ question }, site) {
    return worldCall(site, {
      // Each read of the exploration is judged separately.
      facts: { kind: 'read', paths: [] },
      what: question,
      run: (hooks) => exploration(site.context, question, hooks),
    })
  },
})

async function exploration(
  context: ToolContext,
  question: string,
  { onOutput, signal }: CallHooks,
): Promise<CallResult> {
  const explorer = context.explorer()
  if (explorer === null) throw new ToolRefusal('explore.off')
  const asked = explorer.explore(question, { onStep: (title) => onOutput(`${title}\n`), signal })
  const found = await asked.catch((error: unknown) => {
    if (isAppError(error) && error.info.code.startsWith('model/'))
      throw new ToolRefusal('explore.failed', { code: error.info.code })
    throw error
  })
  const { text, end, requests, unseen } = found
  const model = harmless(found.modelName)
  if (end === 'no-tools') throw new ToolRefusal('explore.no-tools', { model })
  if (text === '') return failedResult(say(context, 'explore.silent', { model, requests }))
  const lines = [say(context, 'explore.head', { model, requests }), harmless(text)]
  if (end === 'cut') lines.push(say(context, 'explore.cut'))
  if (found.places === 0) lines.push(say(context, 'explore.no-places'))
  if (unseen.length > 0)
    lines.push(say(context, 'explore.unseen', { files: harmless(unseen.slice(0, 10).join(', ')) }))
  return { isOk: true, text: lines.join('\n'), view: { kind: 'text' } }
}
