import type { SpeculationBoundary } from '../../shared/domain/session/speculation.ts'
import type { Clock } from '../deps.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'

export type ForkCommandsDeps = {
  clock: Pick<Clock, 'setTimeout'>
  /** Units: ms. */
  leftMs(): number
  /** The call that runs. */
  callId(): string | null
  onBoundary(boundary: SpeculationBoundary): void
}

/**
 * The operations of a fork, whose commands in a copy end with its time. A command of which nothing is kept is where the
 * fork stops: its call stays open for the session that takes the fork in.
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
