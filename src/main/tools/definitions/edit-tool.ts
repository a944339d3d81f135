import { z } from 'zod'
import { harmless, headOf } from '../defining/result-text.ts'
import { defineTool, ownWords, pathArg, reasonArgs, say, type ToolContext } from '../defining/tool.ts'
import { ToolRefusal } from '../defining/tool-refusal.ts'
import { changeCall, type FilePlan } from '../edits/change-call.ts'
import { changedLines } from '../edits/changed-lines.ts'
import { type EditFinding, findEdit } from '../edits/find-edit.ts'
import { isReadBefore, needEditable, needRead, type PresentFile, presentFile } from '../edits/known-file.ts'
import { nearestLines } from '../edits/near-lines.ts'
import { respellText, textOf, withLf } from '../edits/respell-text.ts'

export const editTool = defineTool({
  name: 'edit',
  args: z.strictObject({ path: pathArg, old_text: z.string().min(1), new_text: z.string(), ...reasonArgs }),
  about: 'path',
  async prepare(args, site) {
    const { context } = site
    return changeCall(site, {
      ...ownWords(args),
      async plan(see, isRenewal) {
        const file = await presentFile(see, args.path)
        needEditable(file.bytes, file.path)
        const isStale = !isRenewal && isReadBefore(context, file)
        if (!isRenewal && !isStale) needRead(context, file, 'edit')
        return planEdit(context, file, {
          oldText: withLf(args.old_text),
          newText: withLf(args.new_text),
          isStale,
        })
      },
      done({ preview }, hunks) {
        const head = say(context, 'edit.done', { path: preview.path })
        return `${head}\n${changedLines(context, preview.newText ?? '', hunks)}`
      },
    })
  },
})

/** Shape: `isStale`: the file has changed since the model read it. */
type Wanted = { oldText: string; newText: string; isStale: boolean }

function planEdit(context: ToolContext, file: PresentFile, { oldText, newText, isStale }: Wanted): FilePlan {
  const { path, bytes, hash } = file
  if (newText.includes('\0')) throw new ToolRefusal('edit.has-nul', { path })
  const text = textOf(bytes, path)
  // What was meant is certain only where the text still stands there once, as it was read.
  if (isStale && text.split(oldText).length !== 2) throw new ToolRefusal('edit.changed-since', { path })
  const found = foundEdit(text, oldText, newText)
  if (found.kind === 'none')
    throw new ToolRefusal('edit.not-found', { path, nearest: nearest(context, text, oldText) })
  if (found.kind === 'several') throw new ToolRefusal('edit.several', { path, lines: found.lines.join(', ') })
  const { from, to, insert } = found.place
  const wanted = text.slice(0, from) + insert + text.slice(to)
  if (wanted === text) throw new ToolRefusal('edit.same', { path })
  const fresh = respellText(bytes, wanted, path)
  needEditable(fresh, path)
  return {
    oldBytes: bytes,
    change: { kind: 'write', path, baseHash: hash, bytes: fresh },
    preview: { path, to: null, action: 'edit', oldText: text, newText: wanted, sizeBytes: fresh.length },
    outcome: new Map([[path, fresh]]),
  }
}

/** Where the old text is not there, but would be without the line numbers that `read_file` shows, it is meant so. */
function foundEdit(text: string, oldText: string, newText: string): EditFinding {
  const found = findEdit(text, oldText, newText)
  const isNumbered = oldText.split('\n').every((line) => line === '' || lineNumber.test(line))
  if (found.kind !== 'none' || !isNumbered) return found
  return findEdit(text, withoutNumbers(oldText), withoutNumbers(newText))
}

const lineNumber = /^\d+\t/

function withoutNumbers(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(lineNumber, ''))
    .join('\n')
}

function nearest(context: ToolContext, text: string, oldText: string): string {
  const lines = nearestLines(text, oldText)
  if (lines.length === 0) return ''
  const shown = lines.map((line) => `${line.number}\t${headOf(harmless(line.text), 1_000)}`)
  return say(context, 'edit.nearest', { lines: shown.join('\n') })
}
