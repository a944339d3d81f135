import { z } from 'zod'
import type { Hunk } from '../../../shared/text/difference/hunks.ts'
import { isTooDeep, parseJson } from '../../../shared/text/json.ts'
import { isFields, type OtherNames, withOwnNames } from '../defining/read-arguments.ts'
import { harmless, headOf } from '../defining/result-text.ts'
import {
  defineTool,
  ownWords,
  pathArg,
  reasonArgs,
  say,
  type ToolContext,
  ToolRefusal,
} from '../defining/tool.ts'
import type { ResultKey } from '../defining/tool-words.ts'
import { changeCall, type FilePlan, writePlan } from '../edits/change-call.ts'
import { type EditFinding, findEdit, nearestLines } from '../edits/find-edit.ts'
import { isReadBefore, needEditable, needRead, type PresentFile, presentFile } from '../edits/known-file.ts'
import { numberedLines, textLines } from '../edits/numbered-lines.ts'
import { textOf, withLf } from '../edits/respell-text.ts'

/** Maximum number of edits in one call. */
const mostEdits = 50

const TextEdit = z.strictObject({
  old_text: z.string().min(1),
  new_text: z.string(),
  replace_all: z.boolean().optional(),
})
type TextEdit = z.infer<typeof TextEdit>

export const editTool = defineTool({
  name: 'edit',
  args: z.strictObject({ path: pathArg, edits: z.array(TextEdit).min(1).max(mostEdits), ...reasonArgs }),
  about: 'path',
  reshape: withEditList,
  async prepare(args, site) {
    const { context } = site
    return changeCall(site, {
      ...ownWords(args),
      async plan(see, isRenewal) {
        const file = await presentFile(see, args.path)
        needEditable(file.bytes, file.path)
        const isStale = !isRenewal && isReadBefore(context, file)
        if (!isRenewal && !isStale) needRead(context, file, 'edit')
        return planEdits(context, file, args.edits, isStale)
      },
      done({ preview }, hunks) {
        const head = say(context, 'edit.done', { path: preview.path })
        return `${head}\n${changedLines(context, preview.newText ?? '', hunks)}`
      },
    })
  },
})

const editNames: OtherNames = { old_string: 'old_text', new_string: 'new_text', replaceAll: 'replace_all' }

/** Converts one edit beside the path, a list written as text, and other programs' names to the list of edits. */
function withEditList(args: Record<string, unknown>): Record<string, unknown> {
  const { edits: given, ...rest } = args
  if (given === undefined) {
    const single = ownEdit(rest)
    const others = Object.entries(rest).filter(([name]) => !Object.hasOwn(editNames, name))
    const kept = others.filter(([name]) => !Object.hasOwn(TextEdit.shape, name))
    return Object.keys(single).length === 0 ? args : { ...Object.fromEntries(kept), edits: [single] }
  }
  const list = typeof given === 'string' && !isTooDeep(given) ? parseJson(given) : given
  if (!Array.isArray(list)) return args
  return { ...rest, edits: list.map((edit: unknown) => (isFields(edit) ? ownNamed(edit) : edit)) }
}

/** Returns the fields of one edit that stand among the arguments of a call. */
function ownEdit(args: Record<string, unknown>): Record<string, unknown> {
  const names = [...Object.keys(TextEdit.shape), ...Object.keys(editNames)]
  return ownNamed(Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name))))
}

function ownNamed(edit: Record<string, unknown>): Record<string, unknown> {
  const named = withOwnNames(Object.keys(TextEdit.shape), edit, editNames)
  const { replace_all: all } = named
  return all === 'true' || all === 'false' ? { ...named, replace_all: all === 'true' } : named
}

/** Applies all edits in their order, or none. Shape: `isStale`: the file has changed since the model read it. */
function planEdits(
  context: ToolContext,
  file: PresentFile,
  edits: readonly TextEdit[],
  isStale: boolean,
): FilePlan {
  const { path } = file
  const text = textOf(file.bytes, path)
  let wanted = text
  for (const [index, edit] of edits.entries()) {
    const refuse = (key: ResultKey, values: Record<string, string> = {}): never => {
      if (edits.length === 1) throw new ToolRefusal(key, { path, ...values })
      const reason = say(context, key, { path, ...values })
      throw new ToolRefusal('edit.one-of-several', { number: index + 1, total: edits.length, reason })
    }
    if (edit.new_text.includes('\0')) refuse('edit.has-nul')
    wanted = withEdit(context, wanted, edit, isStale, refuse)
  }
  if (wanted === text) throw new ToolRefusal('edit.same', { path })
  return writePlan(file, text, wanted)
}

function withEdit(
  context: ToolContext,
  text: string,
  edit: TextEdit,
  isStale: boolean,
  refuse: (key: ResultKey, values?: Record<string, string>) => never,
): string {
  const oldText = withLf(edit.old_text)
  const newText = withLf(edit.new_text)
  // In a file that has changed since it was read, the place is certain only where the old text occurs exactly once.
  if (isStale && text.split(oldText).length !== 2) refuse('edit.changed-since')
  const found = foundEdit(text, oldText, newText, edit.replace_all === true)
  switch (found.kind) {
    case 'none':
      return refuse('edit.not-found', { nearest: nearest(context, text, oldText) })
    case 'several':
      return refuse('edit.several', { lines: found.lines.join(', ') })
    case 'all':
      return text.replaceAll(oldText, () => newText)
    case 'one': {
      const { from, to, insert } = found.place
      return text.slice(0, from) + insert + text.slice(to)
    }
  }
}

/** Finds the old text; where it is missing, searches again without the line numbers that `read_file` shows. */
function foundEdit(
  text: string,
  oldText: string,
  newText: string,
  isAll: boolean,
): EditFinding | { kind: 'all' } {
  if (isAll && text.includes(oldText)) return { kind: 'all' }
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

const aroundLines = 2
const limitPlaces = 5
const limitBytes = 4_000

/** Returns the changed places of a text, with their line numbers and surroundings, for the model. */
function changedLines(context: ToolContext, text: string, hunks: readonly Hunk[]): string {
  const lines = textLines(text)
  const stretches: { from: number; to: number }[] = []
  let shift = 0
  for (const hunk of hunks.slice(0, limitPlaces)) {
    const first = hunk.oldFrom + shift
    shift += hunk.newLines.length - hunk.oldLines.length
    const from = Math.max(1, first - aroundLines)
    const to = Math.min(lines.length, Math.max(first, first + hunk.newLines.length - 1) + aroundLines)
    const last = stretches.at(-1)
    // Surroundings that touch are merged, so that no line is shown twice.
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else stretches.push({ from, to })
  }
  const room = Math.floor(limitBytes / Math.max(1, stretches.length))
  return stretches.map((range) => numberedLines(context, lines, range, room).text).join('\n…\n')
}
