import { z } from 'zod'
import { harmless, limitListed } from '../defining/result-text.ts'
import { defineTool, pathArg, say, type ToolContext, ToolRefusal, worldCall } from '../defining/tool.ts'
import { samePlace } from '../edits/known-file.ts'
import { fittingLines } from '../edits/numbered-lines.ts'
import type { CallResult } from '../prepared-call.ts'
import type { FolderEntry } from '../tool-operations.ts'

export const listDirectoryTool = defineTool({
  name: 'list_directory',
  args: z.strictObject({ path: pathArg.optional() }),
  about: 'path',
  async prepare({ path: wanted = '.' }, site) {
    const { path } = await site.context.operations.locate(wanted)
    return worldCall(
      { ...site, title: site.title || path },
      {
        facts: { kind: 'read', paths: [path] },
        what: path,
        run: () => listDirectory(site.context, path),
      },
    )
  },
})

async function listDirectory(context: ToolContext, wanted: string): Promise<CallResult> {
  const { path, kind } = await samePlace(context, wanted)
  if (kind === 'file') throw new ToolRefusal('list.is-file', { path })
  const entries = await context.operations.list(wanted)
  const count = entries.length
  if (count === 0) {
    const view = { kind: 'entries' as const, path, count, isCut: false }
    return { isOk: true, text: say(context, 'list.empty', { path }), view }
  }
  const { text, shown } = fittingLines(entries.map(entryLine), context.resultBytes() - 1_000)
  const total = count < limitListed ? count : `${count}+`
  const isCut = shown < count || total !== count
  const lines = [say(context, 'list.head', { path, count: total }), text]
  if (isCut) lines.push(say(context, 'cut.list', { shown, total }))
  return { isOk: true, text: lines.join('\n'), view: { kind: 'entries', path, count, isCut } }
}

/** Returns an entry's name, marked as by `ls -F`; a file's with its size. */
function entryLine({ name, kind, sizeBytes }: FolderEntry): string {
  const shown = harmless(name).replaceAll('\n', '␊')
  if (kind === 'folder') return `${shown}/`
  if (kind === 'link') return `${shown}@`
  if (kind === 'other') return `${shown}?`
  return sizeBytes === null ? shown : `${shown}\t${sizeBytes}`
}
