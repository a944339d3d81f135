import { z } from 'zod'
import { commandTimeouts, readOnlyLimits } from '../commands/command-types.ts'
import { withoutKeys } from '../commands/environment/key-shapes.ts'
import { cutMiddle, harmless, limitListed } from '../defining/result-text.ts'
import {
  type CallSite,
  defineTool,
  orElse,
  ownWords,
  pathArg,
  reasonArgs,
  say,
  type ToolContext,
  ToolRefusal,
  worldCall,
} from '../defining/tool.ts'
import { errorSentence } from '../defining/tool-words.ts'
import { type EffectsCall, effectsCall, keptResult, nothingApplied } from '../edits/effects-call.ts'
import { samePlace } from '../edits/known-file.ts'
import type { CallHooks, CallResult } from '../prepared-call.ts'
import { type FolderView, literalLine } from '../shell/literal-line.ts'
import type { ShellLine } from '../shell/parsing/shell-line.ts'
import { isRefusal } from '../shell/programs/read-options.ts'
import type { LineReads } from '../shell/read-only.ts'
import type { CommandOutcome, CommandRequest } from '../tool-operations.ts'

const defaultTimeoutS = commandTimeouts.defaultMs / 1000
const limitTimeoutS = commandTimeouts.limitMs / 1000
/** Room for the text around an output. Units: bytes. */
const roomBytes = 1_500

/** A smaller `timeout` is in seconds: no model gives a command less than one second. Units: milliseconds. */
const leastTimeoutMs = 1_000

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
  /** Reads `timeout`, the name that other programs use, in seconds or in milliseconds. */
  reshape(args) {
    const { timeout, ...rest } = args
    const given = Number(timeout)
    if (timeout === undefined || rest.timeout_s !== undefined || !(given > 0)) return args
    const seconds = given >= leastTimeoutMs ? given / 1000 : given
    return { ...rest, timeout_s: Math.min(Math.ceil(seconds), limitTimeoutS) }
  },
  async prepare(args, site) {
    const { context } = site
    const { line } = args
    if (line.trim() === '' || line.includes('\0') || !line.isWellFormed()) throw new ToolRefusal('run.empty')
    const folder = await context.operations.locate(args.folder ?? '.')
    if (folder.kind !== 'folder') throw new ToolRefusal('run.no-folder', { path: folder.path })
    const isBackground = args.background ?? false
    const parsed = isBackground ? null : await context.shellCheck.read(line)
    const reads = parsed && (await readsOf(context, parsed, folder.path))
    const isReadOnly = reads !== null
    const literal = parsed && reads ? await literalOf(context, parsed, folder.path) : undefined
    const gitCommands = reads?.gitCommands ?? []
    const secrets = gitCommands.length === 0 ? [] : await context.gitSecrets(folder.path, gitCommands)
    const timeoutMs = (args.timeout_s ?? defaultTimeoutS) * 1000
    const command = { line, folder: folder.path, timeoutMs, isBackground, isReadOnly }
    const request: CommandRequest = typeof literal === 'string' ? { ...command, literal } : command
    return worldCall(site, {
      isReadOnly,
      ...ownWords(args),
      facts: {
        kind: 'command',
        line,
        folder: folder.path,
        isBackground,
        ...(literal === undefined ? {} : { literal, secrets }),
      },
      what: request,
      run: (hooks) => runCommand(site, request, hooks),
      reopened: () => reopened(site),
    })
  },
})

/** Returns the reads of a line that only reads. With git in it, the folder's configuration must allow that. */
async function readsOf(context: ToolContext, line: ShellLine, folder: string): Promise<LineReads | null> {
  const reads = context.shellCheck.readOnly(line)
  if (isRefusal(reads)) return null
  if (reads.gitCommands.length === 0) return reads
  const configuration = await context.gitConfiguration(folder)
  const isAllowed = configuration !== null && !isRefusal(context.shellCheck.readOnly(line, configuration))
  return isAllowed ? reads : null
}

/**
 * Returns the line that runs in place of one that only reads: with its patterns written out as names, so that it reads
 * no file that was not there to be checked. Null where only the shell can expand the patterns.
 */
async function literalOf(
  { shellCheck, operations }: ToolContext,
  line: ShellLine,
  folder: string,
): Promise<string | null> {
  const placeOf = (path: string): string =>
    path.startsWith('/') || folder === '.' ? path || '.' : `${folder}/${path}`
  const found = (path: string) => orElse(() => operations.locate(placeOf(path)), null)
  const view: FolderView = {
    async namesIn(path) {
      // A folder that is outside, or cannot be listed, has no names here; the pattern stays as it is written.
      const entries = await orElse(() => operations.list(placeOf(path), { isNamesOnly: true }), [])
      // A list of fewer entries is complete; of a cut one the names that match are not known.
      return entries.length < limitListed ? entries.map(({ name }) => name) : null
    },
    isFolder: async (path) => (await found(path))?.kind === 'folder',
    async isMissing(path) {
      const place = await found(path)
      // A path outside of the folder, or a broken link, stays in the line, so that the user is asked about it.
      if (place === null) return false
      return path.endsWith('/') ? place.kind !== 'folder' : place.kind === 'none'
    },
  }
  return literalLine(shellCheck, line, view)
}

async function runCommand(
  { context, callId }: CallSite,
  request: CommandRequest,
  { onOutput, signal, isSandboxed = false }: CallHooks,
): Promise<CallResult> {
  await samePlace(context, request.folder)
  const asked = isSandboxed ? { ...request, isSandboxed } : request
  const outcome = await context.operations.execute(asked, onOutput, signal)
  const { commandChanges = null, hindrance = null } = outcome.sandboxed ?? {}
  const isStopped = outcome.end === 'stopped'
  // A command that was stopped, or that has to run outside of the sandbox, leaves no changes.
  const isDropped = commandChanges !== null && (isStopped || hindrance !== null)
  const result = resultOf(context, request, outcome, isDropped ? [say(context, 'run.nothing-kept')] : [])
  if (outcome.isLeftOpen) return { ...result, isLeftOpen: true }
  if (outcome.kept !== undefined) return keptResult(context, result, outcome.kept)
  if (isDropped) await commandChanges.drop()
  if (hindrance !== null) return { ...result, hindrance }
  if (commandChanges === null || isStopped) return result
  const { line, folder } = request
  return {
    ...result,
    effects: await effectsCall({ callId, context, commandChanges, command: { line, folder }, result }),
  }
}

/** Reads again what the command left in its copy, where the user was asked about that when a host ended. */
async function reopened({ context, callId }: CallSite): Promise<EffectsCall | null> {
  const asked = await context.operations.askedRun(callId)
  return asked === null ? null : effectsCall({ callId, context, ...asked })
}

/** Shape: `words` are further sentences about the copy that the command ran in. */
function resultOf(
  context: ToolContext,
  request: CommandRequest,
  outcome: CommandOutcome,
  words: readonly string[],
): CallResult {
  const { commandId, totalBytes } = outcome
  const head = [endSentence(context, request, outcome), ...sandboxWords(context, outcome), ...words]
  const told = (more: readonly string[], output: string): { text: string; isCut: boolean } => {
    const plain = harmless(output.trimEnd())
    const { text, isCut } = cutMiddle(plain, context.resultBytes() - roomBytes, (leftOut, total) =>
      say(context, 'cut.middle', { leftOut, total: Math.max(total, totalBytes), commandId }),
    )
    const body = text === '' && outcome.end !== 'background' ? say(context, 'run.no-output') : text
    return { text: [...head, ...more, body].filter((part) => part !== '').join('\n'), isCut }
  }
  const whole = told([], outcome.output)
  // The user was not asked about the reads of a command in a copy: it may be a key that Git keeps of an earlier commit.
  const safe = outcome.sandboxed === undefined ? null : withoutKeys(outcome.output)
  const hasKeys = safe !== null && safe.leftOut > 0
  const { text, isCut } = hasKeys
    ? told([say(context, 'run.keys', { count: safe.leftOut })], safe.text)
    : whole
  return {
    isOk: outcome.end === 'background' || (outcome.end === 'exited' && outcome.exitCode === 0),
    text,
    ...(hasKeys && { shownText: whole.text }),
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
      ...(outcome.sandboxed && { sandboxed: nothingApplied }),
    },
    ...(outcome.ended && { ended: outcome.ended }),
  }
}

/** Returns a sentence about the sandbox that the command ran in, and why that may have made it fail. */
function sandboxWords(context: ToolContext, { sandboxed }: CommandOutcome): string[] {
  if (sandboxed === undefined) return []
  const { hindrance } = sandboxed
  return [say(context, hindrance === null ? 'run.sandboxed' : `run.sandboxed-${hindrance}`)]
}

function endSentence(context: ToolContext, request: CommandRequest, outcome: CommandOutcome): string {
  const { commandId, exitCode, signal, end } = outcome
  switch (end) {
    case 'exited':
      return signal === null
        ? say(context, 'run.exited', { exitCode: exitCode ?? '?' })
        : say(context, 'run.signal', { signal })
    case 'timeout':
      return say(context, 'run.timeout', {
        seconds:
          Math.min(request.timeoutMs, request.isReadOnly ? readOnlyLimits.timeoutMs : limitTimeoutS * 1000) /
          1000,
      })
    case 'stopped':
      return request.isReadOnly && outcome.totalBytes > readOnlyLimits.outputBytes
        ? say(context, 'run.too-much', { bytes: readOnlyLimits.outputBytes })
        : say(context, 'run.stopped')
    case 'background':
      return say(context, 'run.background', { commandId })
    case 'failed-to-start':
      return outcome.failure == null
        ? say(context, 'run.failed-to-start')
        : errorSentence(context.words, outcome.failure)
  }
}
