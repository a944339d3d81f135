import { z } from 'zod'
import type { See } from '../answer-files.ts'
import {
  defineTool,
  ownWords,
  pathArg,
  reasonArgs,
  say,
  type ToolContext,
  ToolRefusal,
} from '../defining/tool.ts'
import { changeCall, type FilePlan, writePlan } from '../edits/change-call.ts'
import { needEditable, needNewName, needRead, needWholeRead, presentFile } from '../edits/known-file.ts'
import { textLines } from '../edits/numbered-lines.ts'
import { textOf, withLf } from '../edits/respell-text.ts'

export const writeFileTool = defineTool({
  name: 'write_file',
  args: z.strictObject({ path: pathArg, content: z.string(), ...reasonArgs }),
  about: 'path',
  async prepare(args, site) {
    const { context } = site
    return changeCall(site, {
      ...ownWords(args),
      plan: (see) => planWrite(context, see, args),
      done({ preview }) {
        const key = preview.action === 'create' ? 'write.created' : 'write.replaced'
        const lines = textLines(preview.newText ?? '').length
        return say(context, key, { path: preview.path, lines, bytes: preview.sizeBytes })
      },
    })
  },
})

/** Plans a write of the whole content. The model must have read the file's present content, also on renewal. */
async function planWrite(
  context: ToolContext,
  see: See,
  args: { path: string; content: string },
): Promise<FilePlan> {
  const { path: asWritten, content } = args
  const found = await see(asWritten)
  if (content.includes('\0')) throw new ToolRefusal('edit.has-nul', { path: found.path })
  if (found.kind === 'none') {
    needNewName(found, asWritten)
    return writePlan(found, null, content)
  }
  const file = await presentFile(see, asWritten)
  const { path, bytes } = file
  needEditable(bytes, path)
  needRead(context, file, 'write')
  needWholeRead(context, file)
  const oldText = textOf(bytes, path)
  const newText = withLf(content)
  if (oldText === newText) throw new ToolRefusal('write.same', { path })
  return writePlan(file, oldText, newText)
}
