import type { SpeculationBoundary } from '../../shared/domain/session/speculation.ts'
import type { Clock } from '../deps.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'

export type ForkCommandsDeps = {
  clock: Pick<Clock, 'setTimeout'>
  /** Units: ms. */
  leftMs(): number
  /** Returns the id of the call that runs. */
  callId(): string | null
  onBoundary(boundary: SpeculationBoundary): void
}

/**
 * Returns the operations of a fork, whose commands in a copy end when its time is over. The fork stops at a command of
 * which nothing is kept: its call stays open for the session that adopts the fork.
 */
export function forkCommands(operations: ToolOperations, deps: ForkCommandsDeps): ToolOperations {
  return {
    ...operations,
    async execute(command, onOutput, signal) {
      if (command.isSandboxed !== true) return operations.execute(command, onOutput, signal)
      const outOfTime = new AbortController()
      const timer = deps.clock.setTimeout(() => outOfTime.abort(), Math.max(0, deps.leftMs()))
      try {
        const either = AbortSignal.any([signal, outOfTime.signal])
        const outcome = await operations.execute(command, onOutput, either)
        if (outcome.isLeftOpen) {
          const kind = outOfTime.signal.aborted ? 'budget' : 'shell'
          deps.onBoundary({ kind, callId: deps.callId(), title: command.line, copy: 'failed' })
        }
        return outcome
      } finally {
        timer.cancel()
      }
    },
  }
}
