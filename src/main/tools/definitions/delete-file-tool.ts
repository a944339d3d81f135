import { z } from 'zod'
import { defineTool, ownWords, pathArg, reasonArgs, say, ToolRefusal } from '../defining/tool.ts'
import { changeCall } from '../edits/change-call.ts'
import { opaqueMark } from '../edits/changed-file.ts'
import { presentFile } from '../edits/known-file.ts'
import { shownText } from '../edits/respell-text.ts'

export const deleteFileTool = defineTool({
  name: 'delete_file',
  args: z.strictObject({ path: pathArg, ...reasonArgs }),
  about: 'path',
  async prepare(args, site) {
    return changeCall(site, {
      ...ownWords(args),
      async plan(see) {
        const { path, bytes, hash, isLink } = await presentFile(see, args.path)
        if (isLink) throw new ToolRefusal('file.is-link', { path: args.path })
        const texts = { oldText: shownText(bytes, path), newText: null }
        const mark = opaqueMark([bytes, null], texts)
        return {
          oldBytes: bytes,
          change: { kind: 'delete', path, baseHash: hash },
          preview: { path, to: null, action: 'delete', ...texts, sizeBytes: bytes.length, ...mark },
        }
      },
      done: ({ preview }) => say(site.context, 'delete.done', { path: preview.path }),
    })
  },
})
