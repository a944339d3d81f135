import { z } from 'zod'
import { withoutKeys } from '../commands/environment/key-shapes.ts'
import { harmless, headOf, sizeOf } from '../defining/result-text.ts'
import { defineTool, failedResult, say, type ToolContext, worldCall } from '../defining/tool.ts'
import type { CallResult } from '../prepared-call.ts'

/** Room for the text around the output. Units: bytes. */
const headBytes = 1_500

export const commandIdArg = z.string().min(1)

export const commandOutputTool = defineTool({
  name: 'command_output',
  args: z.strictObject({ command_id: commandIdArg, since: z.int().min(0).max(999_999_999).optional() }),
  about: 'command_id',
  async prepare({ command_id, since = 0 }, site) {
    return worldCall(site, {
      facts: { kind: 'read', paths: [] },
      what: [command_id, since],
      run: async () => outputOf(site.context, command_id, since),
    })
  },
})

function outputOf(context: ToolContext, commandId: string, since: number): CallResult {
  const found = context.operations.commandOutput(commandId, since)
  if (found === null) return failedResult(say(context, 'output.unknown', { commandId: harmless(commandId) }))
  const roomBytes = context.resultBytes() - headBytes
  // The harmless sign that replaces a control character takes three bytes.
  const isPlain = sizeOf(harmless(headOf(found.output, roomBytes))) <= roomBytes
  const page = headOf(found.output, isPlain ? roomBytes : Math.floor(roomBytes / 3))
  // A key is found in whole lines only.
  const lineEnd = page.lastIndexOf('\n') + 1
  const isClipped = found.isInCopy && page.length < found.output.length && lineEnd > 0
  const output = isClipped ? page.slice(0, lineEnd) : page
  const safe = found.isInCopy ? withoutKeys(output) : { text: output, leftOut: 0 }
  const isCut = output.length < found.output.length
  const nextBytes = found.nextBytes - sizeOf(found.output) + sizeOf(output)
  const head = found.isRunning
    ? say(context, 'output.running', { nextBytes })
    : say(context, 'output.ended', { exitCode: found.exitCode ?? '?' })
  const lines = [
    head,
    output === '' ? say(context, 'output.nothing-new') : harmless(isCut ? safe.text : safe.text.trimEnd()),
  ]
  if (safe.leftOut > 0) lines.push(say(context, 'run.keys', { count: safe.leftOut }))
  if (isCut)
    lines.push(say(context, 'output.more', { leftOut: sizeOf(found.output) - sizeOf(output), nextBytes }))
  return { isOk: true, text: lines.join('\n'), view: { kind: 'text' } }
}
