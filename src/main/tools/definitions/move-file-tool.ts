import { z } from 'zod'
import { defineTool, ownWords, pathArg, reasonArgs, say, ToolRefusal } from '../defining/tool.ts'
import { changeCall } from '../edits/change-call.ts'
import { needNewName, presentFile } from '../edits/known-file.ts'
import { shownText } from '../edits/respell-text.ts'

export const moveFileTool = defineTool({
  name: 'move_file',
  args: z.strictObject({ path: pathArg, to: pathArg, ...reasonArgs }),
  about: 'path',
  async prepare(args, site) {
    return changeCall(site, {
      ...ownWords(args),
      async plan(see) {
        const { path, bytes, hash, isLink, root } = await presentFile(see, args.path)
        if (isLink) throw new ToolRefusal('file.is-link', { path: args.path })
        const target = await see(args.to)
        const to = target.path
        if (to === path) throw new ToolRefusal('move.same', { path })
        if (target.kind !== 'none') throw new ToolRefusal('move.exists', { path: to })
        if (target.root !== root) throw new ToolRefusal('move.across', { path: to })
        needNewName(target, args.to)
        const text = shownText(bytes, path)
        return {
          oldBytes: bytes,
          change: { kind: 'move', path, baseHash: hash, to },
          preview: { path, to, action: 'move', oldText: text, newText: text, sizeBytes: bytes.length },
        }
      },
      done: ({ preview }) => say(site.context, 'move.done', { path: preview.path, to: preview.to ?? '' }),
    })
  },
})
