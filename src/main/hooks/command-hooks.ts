import { join } from 'node:path'
import { segmentsText } from '../../shared/domain/session/message-segment.ts'
import { type SubmitHook, submitHookMs } from '../../shared/domain/work/work-settings.ts'
import type { Translate } from '../../shared/i18n/translate.ts'
import { clipLine } from '../../shared/text/clip-line.ts'
import type { Log, Random } from '../deps.ts'
import type { AuditLog } from '../gates/audit-log.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import { type Disk, errorCode } from '../platform/files/disk.ts'
import type { HookAction, PromptSubmit } from '../sessions/prompt-submit.ts'
import type { CommandRunner } from '../tools/commands/create-command-runner.ts'
import type { LoginEnvironment } from '../tools/commands/login-environment.ts'

/** Maximum length of a hook's output in the refusal. Units: graphemes. */
const limitReason = 300
/** Units: bytes. */
const limitOutputBytes = 16_000

export type CommandHooksDeps = {
  commands: Pick<CommandRunner, 'run'>
  disk: Pick<Disk, 'list' | 'makeFolder' | 'writeNew' | 'remove'>
  random: Random
  log: Log
  audit: AuditLog
  loginEnvironment(): Promise<LoginEnvironment>
  /** A folder of the app for messages while hooks read them. */
  folder: string
  /** The user's hooks for the folder that a session works in. */
  hooksOf(sessionId: string): readonly SubmitHook[]
  isTrusted(root: string): boolean
  /** Text for the user, in the window's language. */
  words(): Translate
}

/**
 * Asks the user's commands about a message, one after another; the first that refuses it ends the round.
 *
 * Shape: a command reads the message from the file that `TSUGI_MESSAGE_FILE` names. Exit code 0 lets the message pass,
 * any other holds it back; the beginning of the output is the reason. Hooks run only in folders that the user trusts.
 */
export function createCommandHooks(deps: CommandHooksDeps): {
  readonly name: string
  onPromptSubmit(submit: PromptSubmit): Promise<HookAction>
} {
  const { audit, commands, disk } = deps
  let sweeping: Promise<void> | null = null

  /** Makes the folder. No message is written there before those are removed that a host that was killed left there. */
  async function makeFolder(): Promise<void> {
    await disk.makeFolder(deps.folder, 0o700)
    sweeping ??= sweep()
    await sweeping
  }

  async function sweep(): Promise<void> {
    try {
      for (const { name } of await disk.list(deps.folder)) await leave(join(deps.folder, name))
    } catch (error) {
      sweeping = null
      throw error
    }
  }

  /** Removes a message's file; ignores errors, since hooks may have removed or replaced the file. */
  async function leave(file: string): Promise<void> {
    await disk.remove(file).catch(() => undefined)
  }

  /**
   * Writes the message to a new file for one hook, since an earlier hook may have changed its own copy; returns null
   * where the file cannot be written.
   */
  async function written(text: string): Promise<string | null> {
    const file = join(deps.folder, deps.random.id())
    try {
      await makeFolder()
      await disk.writeNew(file, Buffer.from(text), { mode: 0o600 })
      return file
    } catch (error) {
      deps.log.write('warn', 'hooks.no-message', { reason: errorCode(error) ?? '' })
      return null
    }
  }

  /** Runs a hook. Returns why it holds the message back; null where it lets the message pass. */
  async function ask(hook: SubmitHook, submit: PromptSubmit, text: string): Promise<string | null> {
    const file = await written(text)
    if (file === null) return deps.words()('hook.notStarted')
    try {
      return await verdict(hook, submit, file)
    } finally {
      await leave(file)
    }
  }

  async function verdict(hook: SubmitHook, submit: PromptSubmit, file: string): Promise<string | null> {
    const { sessionId, folder, signal } = submit
    const { variables } = await deps.loginEnvironment()
    const { end, exitCode, output, failure } = await commands.run(
      {
        ownerId: sessionId,
        line: hook.line,
        cwd: folder.root,
        root: folder.root,
        timeoutMs: submitHookMs,
        limitBytes: limitOutputBytes,
        environment: { ...variables, TSUGI_MESSAGE_FILE: file, TSUGI_SESSION: sessionId },
      },
      { signal },
    )
    signal.throwIfAborted()
    if (end === 'exited' && exitCode === 0) return null
    const t = deps.words()
    if (failure !== null || end === 'failed-to-start') return t('hook.notStarted')
    if (end === 'timeout') return t('hook.tooSlow', { seconds: submitHookMs / 1000 })
    const [first = ''] = output.split('\n').filter((line) => line.trim() !== '')
    return clipLine(first, limitReason) || t('hook.refused')
  }

  return {
    name: 'command-hooks',
    async onPromptSubmit(submit) {
      const { sessionId, segments, folder } = submit
      const hooks = deps.hooksOf(sessionId).filter(({ isOn }) => isOn)
      if (hooks.length === 0 || !deps.isTrusted(folder.root)) return { kind: 'continue' }
      const text = segmentsText(segments)
      for (const hook of hooks) {
        const subject = { tool: 'submit_hook', subject: `${hook.name}: ${hook.line}`, risk: 'low' } as const
        const reason = await ask(hook, submit, text)
        if (reason !== null) {
          audit.stopped(sessionId, subject, 'denied', reason)
          return { kind: 'cancel', reason: `${hook.name}: ${reason}` }
        }
        const record = { callId: '', by: 'rule', name: hook.name, hash: contentHash(text) } as const
        audit.passed(sessionId, subject, 'granted', record)
      }
      return { kind: 'continue' }
    },
  }
}
