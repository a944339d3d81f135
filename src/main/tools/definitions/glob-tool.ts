import { z } from 'zod'
import { harmless } from '../defining/result-text.ts'
import { addedFolderOf } from '../defining/root-path.ts'
import { defineTool, say, type ToolContext, worldCall } from '../defining/tool.ts'
import { fittingLines } from '../edits/numbered-lines.ts'
import type { CallResult } from '../prepared-call.ts'

const limitPaths = 1_000
export const globArg = z.string().min(1).max(500)

export const globTool = defineTool({
  name: 'glob',
  args: z.strictObject({ pattern: globArg }),
  about: 'pattern',
  async prepare({ pattern }, site) {
    return worldCall(site, {
      facts: { kind: 'read', paths: [addedFolderOf(site.context.addedFolders(), pattern) ?? '.'] },
      what: pattern,
      run: ({ signal }) => findPaths(site.context, pattern, signal),
    })
  },
})

async function findPaths(context: ToolContext, pattern: string, signal: AbortSignal): Promise<CallResult> {
  const { paths, isCut } = await context.operations.glob(pattern, limitPaths, signal)
  const view = { kind: 'entries' as const, path: '.', count: paths.length, isCut }
  if (paths.length === 0) return { isOk: true, text: say(context, 'glob.none', { pattern }), view }
  const names = paths.map((path) => harmless(path).replaceAll('\n', '␊'))
  const { text, shown } = fittingLines(names, context.resultBytes() - 1_000)
  const lines = [say(context, 'glob.head', { count: paths.length }), text]
  const isShort = isCut || shown < paths.length
  if (isShort)
    lines.push(say(context, 'cut.list', { shown, total: isCut ? `${paths.length}+` : paths.length }))
  return { isOk: true, text: lines.join('\n'), view: { ...view, isCut: isShort } }
}
