import { z } from 'zod'
import { commandTimeouts } from './commands/command-timeouts.ts'
import type { CallResult } from './prepared-call.ts'
import { cutMiddle, harmless, limitResultBytes } from './result-text.ts'
import { samePlace } from './same-place.ts'
import { isRefusal } from './shell/read-options.ts'
import { defineTool, ownWords, pathArg, reasonArgs, say, type ToolContext } from './tool.ts'
import type { CommandOutcome, CommandRequest } from './tool-operations.ts'
import { ToolRefusal } from './tool-refusal.ts'
import { errorSentence } from './tool-words.ts'
import { type RunHooks, worldCall } from './world-call.ts'

const defaultTimeoutS = commandTimeouts.defaultMs / 1000
const limitTimeoutS = commandTimeouts.limitMs / 1000
/** What is said around an output. Units: bytes. */
const roomBytes = 1_500

export const runCommandTool = defineTool({
  name: 'run_command',
  args: z.strictObject({
    line: z.string().min(1),
    folder: pathArg.optional(),
    timeout_s: z.int().min(1).max(limitTimeoutS).optional(),
    background: z.boolean().optional(),
    ...reasonArgs,
  }),
  about: 'line',
  async prepare(args, site) {
    const { context } = site
    const { line } = args
    if (line.trim() === '' || line.includes('\0') || !line.isWellFormed()) throw new ToolRefusal('run.empty')
    const folder = await context.operations.locate(args.folder ?? '.')
    if (folder.kind !== 'folder') throw new ToolRefusal('run.no-folder', { path: folder.path })
    const isBackground = args.background ?? false
    const isReadOnly = !isBackground && (await onlyReads(context, line, folder.path))
    const timeoutMs = (args.timeout_s ?? defaultTimeoutS) * 1000
    const request: CommandRequest = { line, folder: folder.path, timeoutMs, isBackground, isReadOnly }
    return worldCall(site, {
      tool: 'run_command',
      access: 'execute',
      isReadOnly,
      ...ownWords(args),
      facts: { kind: 'command', line, folder: folder.path, isBackground },
      what: request,
      run: (hooks) => runCommand(context, request, hooks),
    })
  },
})

/** By the line and, where git is in it, by the folder's configuration; one that is not known forbids it. */
async function onlyReads(context: ToolContext, line: string, folder: string): Promise<boolean> {
  const parsed = await context.shellCheck.read(line)
  const reads = context.shellCheck.readOnly(parsed)
  if (isRefusal(reads)) return false
  if (reads.gitCommands.length === 0) return true
  const configuration = await context.gitConfiguration(folder)
  return configuration !== null && !isRefusal(context.shellCheck.readOnly(parsed, configuration))
}

async function runCommand(
  context: ToolContext,
  request: CommandRequest,
  { onOutput, signal }: RunHooks,
): Promise<CallResult> {
  await samePlace(context, request.folder)
  const outcome = await context.operations.execute(request, onOutput, signal)
  const { commandId, totalBytes } = outcome
  const shown = harmless(outcome.output.trimEnd())
  const { text, isCut } = cutMiddle(shown, limitResultBytes - roomBytes, (leftOut, total) =>
    say(context, 'cut.middle', { leftOut, total: Math.max(total, totalBytes), commandId }),
  )
  const body = text === '' && outcome.end !== 'background' ? say(context, 'run.no-output') : text
  return {
    isOk: outcome.end === 'background' || (outcome.end === 'exited' && outcome.exitCode === 0),
    text: [endSentence(context, request, outcome), body].filter((part) => part !== '').join('\n'),
    view: {
      kind: 'command',
      line: request.line,
      commandId,
      end: outcome.end,
      exitCode: outcome.exitCode,
      signal: outcome.signal,
      durationMs: outcome.durationMs,
      isCut: isCut || outcome.isCut,
      isReadOnly: request.isReadOnly,
    },
  }
}

function endSentence(context: ToolContext, request: CommandRequest, outcome: CommandOutcome): string {
  const { commandId, exitCode, signal, end } = outcome
  switch (end) {
    case 'exited':
      return signal === null
        ? say(context, 'run.exited', { exitCode: exitCode ?? '?' })
        : say(context, 'run.signal', { signal })
    case 'timeout':
      return say(context, 'run.timeout', { seconds: request.timeoutMs / 1000 })
    case 'stopped':
      return say(context, 'run.stopped')
    case 'background':
      return say(context, 'run.background', { commandId })
    case 'failed-to-start':
      return outcome.failure == null
        ? say(context, 'run.failed-to-start')
        : errorSentence(context.words, outcome.failure)
  }
}
