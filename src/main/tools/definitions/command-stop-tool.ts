import { z } from 'zod'
import { harmless } from '../defining/result-text.ts'
import { defineTool, failedResult, say, worldCall } from '../defining/tool.ts'
import { commandIdArg } from './command-output-tool.ts'

/** Stops a command that this session itself has started, so that no consent is needed. */
export const commandStopTool = defineTool({
  name: 'command_stop',
  args: z.strictObject({ command_id: commandIdArg }),
  about: 'command_id',
  async prepare({ command_id }, site) {
    const { context } = site
    const commandId = harmless(command_id)
    return worldCall(site, {
      facts: { kind: 'read', paths: [] },
      what: command_id,
      run: async () => {
        const isKnown = await context.operations.stopCommand(command_id)
        if (!isKnown) return failedResult(say(context, 'output.unknown', { commandId }))
        return { isOk: true, text: say(context, 'stop.done', { commandId }), view: { kind: 'text' } }
      },
    })
  },
})
