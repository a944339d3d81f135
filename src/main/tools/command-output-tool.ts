import { z } from 'zod'
import type { CallResult } from './prepared-call.ts'
import { cutMiddle, harmless, limitResultBytes } from './result-text.ts'
import { defineTool, failedResult, say, type ToolContext } from './tool.ts'
import { worldCall } from './world-call.ts'

export const commandIdArg = z.string().min(1)

export const commandOutputTool = defineTool({
  name: 'command_output',
  args: z.strictObject({ command_id: commandIdArg, since: z.int().min(0).max(999_999_999).optional() }),
  about: 'command_id',
  async prepare({ command_id, since = 0 }, site) {
    return worldCall(site, {
      tool: 'command_output',
      access: 'read',
      facts: { kind: 'read', paths: [] },
      what: [command_id, since],
      run: async () => outputOf(site.context, command_id, since),
    })
  },
})

function outputOf(context: ToolContext, commandId: string, since: number): CallResult {
  const found = context.operations.commandOutput(commandId, since)
  if (found === null) return failedResult(say(context, 'output.unknown', { commandId: harmless(commandId) }))
  const head = found.isRunning
    ? say(context, 'output.running', { nextBytes: found.nextBytes })
    : say(context, 'output.ended', { exitCode: found.exitCode ?? '?' })
  const shown = harmless(found.output.trimEnd())
  const { text } = cutMiddle(shown, limitResultBytes - 1_500, (leftOut, total) =>
    say(context, 'cut.middle', { leftOut, total, commandId }),
  )
  const body = text === '' ? say(context, 'output.nothing-new') : text
  return { isOk: true, text: `${head}\n${body}`, view: { kind: 'text' } }
}
