import { z } from 'zod'
import type { See, SeenFile } from '../answer-files.ts'
import { defineTool, ownWords, pathArg, reasonArgs, say, type ToolContext } from '../defining/tool.ts'
import { ToolRefusal } from '../defining/tool-refusal.ts'
import type { FilePlan } from '../edits/change-call.ts'
import { changeCall } from '../edits/change-call.ts'
import { needEditable, needNewName, needRead, needWholeRead, presentFile } from '../edits/known-file.ts'
import { textLines } from '../edits/numbered-lines.ts'
import { respellText, textOf, withLf } from '../edits/respell-text.ts'

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
  const found = await see(args.path)
  if (args.content.includes('\0')) throw new ToolRefusal('edit.has-nul', { path: found.path })
  return found.kind === 'none' ? newFile(found, args) : replaced(context, see, args)
}

function newFile(found: SeenFile, args: { path: string; content: string }): FilePlan {
  const { path } = found
  needNewName(found, args.path)
  const bytes = respellText(null, args.content, path)
  needEditable(bytes, path)
  return {
    oldBytes: null,
    change: { kind: 'write', path, baseHash: null, bytes },
    preview: {
      path,
      to: null,
      action: 'create',
      oldText: null,
      newText: args.content,
      sizeBytes: bytes.length,
    },
    outcome: new Map([[path, bytes]]),
  }
}

async function replaced(
  context: ToolContext,
  see: See,
  args: { path: string; content: string },
): Promise<FilePlan> {
  const file = await presentFile(see, args.path)
  const { path, bytes, hash } = file
  needEditable(bytes, path)
  needRead(context, file, 'write')
  needWholeRead(context, file)
  const oldText = textOf(bytes, path)
  const newText = withLf(args.content)
  if (oldText === newText) throw new ToolRefusal('write.same', { path })
  const fresh = respellText(bytes, newText, path)
  needEditable(fresh, path)
  return {
    oldBytes: bytes,
    change: { kind: 'write', path, baseHash: hash, bytes: fresh },
    preview: { path, to: null, action: 'edit', oldText, newText, sizeBytes: fresh.length },
    outcome: new Map([[path, fresh]]),
  }
}
