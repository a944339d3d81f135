import type { ErrorInfo } from '../../../shared/errors.ts'
import type { ListedCommand } from './command-list.ts'
import type { CommandResult, CommandStatus } from './command-types.ts'
import type { CommandEnd } from './running-command.ts'

/** Returns the result of a command when its call ends; `end` is null where the command goes on in the background. */
export function resultOf(
  { commandId, command, startedAt }: ListedCommand,
  end: CommandEnd | null,
  now: number,
): CommandResult {
  return {
    commandId,
    end: end?.end ?? 'background',
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    output: command.kept.read(0).text,
    totalBytes: command.kept.totalBytes,
    isCut: command.kept.isCut,
    durationMs: end?.durationMs ?? now - startedAt,
    failure: null,
    hasLeftProcesses: end?.hasLeftProcesses ?? false,
  }
}

/** Shape: `failure` is null where it was stopped before it could start. */
export function notStarted(commandId: string, failure: ErrorInfo | null): CommandResult {
  return {
    commandId,
    end: failure === null ? 'stopped' : 'failed-to-start',
    exitCode: null,
    signal: null,
    output: '',
    totalBytes: 0,
    isCut: false,
    durationMs: 0,
    failure,
    hasLeftProcesses: false,
  }
}

export function statusOf({ commandId, run, command, startedAt, end }: ListedCommand): CommandStatus {
  return {
    commandId,
    ownerId: run.ownerId,
    line: run.line,
    cwd: run.cwd,
    startedAt,
    isBackground: run.isBackground === true,
    isInCopy: run.wall !== undefined,
    isRunning: end === null,
    end: end?.end ?? null,
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    totalBytes: command.kept.totalBytes,
  }
}
