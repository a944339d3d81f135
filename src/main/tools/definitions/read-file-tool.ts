import { z } from 'zod'
import { imageLine } from '../../../shared/domain/image/attached-image.ts'
import { isAppError } from '../../../shared/errors.ts'
import { readImageHeader } from '../../images/image-header.ts'
import { sizeOf } from '../defining/result-text.ts'
import { defineTool, pathArg, say, type ToolContext, ToolRefusal, worldCall } from '../defining/tool.ts'
import { readPlace } from '../edits/known-file.ts'
import { numberedLines, textLines } from '../edits/numbered-lines.ts'
import { textOf } from '../edits/respell-text.ts'
import type { CallResult } from '../prepared-call.ts'

/** Size of the largest file that is read; larger ones are for grep and commands. Units: bytes. */
const limitReadBytes = 10_000_000
/** Units: lines from 1. */
const limitLine = 9_999_999
const lineArg = z.int().min(1).max(limitLine)

export const readFileTool = defineTool({
  name: 'read_file',
  args: z.strictObject({ path: pathArg, from: lineArg.optional(), to: lineArg.optional() }),
  about: 'path',
  /** Reads `limit`, the number of lines in other programs' tools, as the last line. */
  reshape(args) {
    const { limit, ...rest } = args
    const [first, count] = [Number(rest.from ?? 1), Number(limit)]
    if (limit === undefined || rest.to !== undefined || !(first >= 0) || !(count >= 1)) return args
    // Some of those programs count lines from 0.
    const from = Math.max(1, first)
    return { ...rest, from, to: Math.min(from + count - 1, limitLine) }
  },
  async prepare(args, site) {
    const { path } = await site.context.operations.locate(args.path)
    return worldCall(site, {
      facts: { kind: 'read', paths: [path] },
      what: [path, args.from ?? null, args.to ?? null],
      run: () => readFile(site.context, { ...args, path }),
    })
  },
})

async function readFile(
  context: ToolContext,
  args: { path: string; from?: number | undefined; to?: number | undefined },
): Promise<CallResult> {
  const { path, bytes, hash } = await readPlace(context, args.path, limitReadBytes, 'read.is-folder')
  if (readImageHeader(bytes) !== null) return readImage(context, path, bytes)
  const lines = textLines(textOf(bytes, path))
  const totalLines = lines.length
  const from = args.from ?? 1
  const to = Math.min(args.to ?? totalLines, totalLines)
  if (totalLines > 0 && from > to) throw new ToolRefusal('read.beyond', { path, total: totalLines })
  const view = { kind: 'file' as const, path, from, to, totalLines }
  if (totalLines === 0) {
    context.ledger.note(path, hash, { from: 1, to: 1 })
    return { isOk: true, text: say(context, 'read.empty', { path }), view: { ...view, isCut: false } }
  }
  const head = say(context, 'read.head', { path, from, to, total: totalLines, bytes: bytes.length })
  const room = context.resultBytes() - sizeOf(head) - 1
  const { text, isCut, leftOut, shortened } = numberedLines(context, lines, { from, to }, room)
  // Only lines that were shown as a whole count as read.
  if (leftOut !== null) context.ledger.note(path, hash, { from: leftOut.to + 1, to }, shortened)
  context.ledger.note(path, hash, { from, to: leftOut === null ? to : leftOut.from - 1 }, shortened)
  return { isOk: true, text: `${head}\n${text}`, view: { ...view, isCut } }
}

async function readImage(context: ToolContext, path: string, bytes: Uint8Array): Promise<CallResult> {
  const images = await context.images()
  if (images === null) throw new ToolRefusal('read.no-images', { path })
  try {
    const image = await images.keep(bytes, path)
    const text = say(context, 'read.image', { image: imageLine(image) })
    return { isOk: true, text, view: { kind: 'image', image }, images: [image] }
  } catch (error) {
    if (!isAppError(error, 'image/too-large')) throw error
    const { sizeBytes, limitBytes, width, height, limitEdge } = error.info
    throw new ToolRefusal('read.image-too-large', { path, sizeBytes, limitBytes, width, height, limitEdge })
  }
}
