import type { AgentModel } from '../agent/model/agent-model.ts'
import type { Clock } from '../deps.ts'
import type { CommandSandbox } from '../sandbox/command-sandbox.ts'
import type { ForkPoint } from '../sessions/adopted-turn.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SessionTools } from '../sessions/runner/runner-deps.ts'
import { SessionRunner } from '../sessions/runner/session-runner.ts'
import type { SessionFolder, SessionPlace } from '../sessions/session-host.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import type { WorkSettingsService } from '../settings/work-settings-service.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
import { createForkRepository } from './fork-repository.ts'
import { createForkedToolbox } from './forked-toolbox.ts'
import type { Overlay } from './overlay/overlay.ts'
import { runLimits } from './run-budget.ts'
import { SpeculationConsent, type SpeculationConsentDeps } from './speculation-consent.ts'
import type { Fork, ForkHooks } from './speculation-run.ts'

export type SessionForkDeps = {
  clock: Pick<Clock, 'now' | 'setTimeout'>
  settings: Pick<SettingsService, 'get'>
  workSettings: Pick<WorkSettingsService, 'switches'>
  gates: SpeculationConsentDeps['gates']
  shellCheck: SpeculationConsentDeps['shell']
  sandbox: Pick<CommandSandbox, 'isReady'>
  toolsOf(place: SessionPlace): SessionTools
}

/** The session or run that is forked, and the overlay of the fork. Shape: `folder.operations` work on `overlay`. */
type ForkStart = {
  base: Pick<Fork, 'session' | 'model'>
  point: ForkPoint
  overlay: Pick<Overlay, 'operations' | 'hasWrites'>
  folder: SessionFolder
}

/** Forks a session: its tools work on an overlay, its consent never asks, and its runner reports to the hooks. */
export function forkSession(
  deps: SessionForkDeps,
  { base, point, overlay, folder }: ForkStart,
  hooks: ForkHooks,
): Fork {
  const { clock, gates, sandbox } = deps
  const { sessionId, log } = base.session
  const repository = createForkRepository({ ...point.record, state: point.state }, log)
  const session = base.session.fork(repository)
  const operations = forkCommands(folder.operations, clock, session, hooks)
  const { readLines, ...tools } = deps.toolsOf({ session, folder: { ...folder, operations } })
  const stopsAtFirstWrite = (): boolean => deps.workSettings.switches(session.workId).stopAtFirstWrite
  const hasSandbox = (): Promise<boolean> => sandbox.isReady(folder.root)
  const toolbox = createForkedToolbox({
    toolbox: tools.toolbox,
    operations: overlay.operations,
    state: () => session.state,
    stopsAtFirstWrite,
    hasSandbox,
  })
  const model = base.model.fork(sessionId, {
    toolbox,
    readLines,
    requests: hooks.requests,
    role: deps.settings.get().speculationRole,
  })
  const runner = new SessionRunner({
    ...tools,
    session,
    toolbox,
    consent: new SpeculationConsent({
      gates,
      shell: deps.shellCheck,
      sessionId,
      hasWrites: () => overlay.hasWrites,
      stopsAtFirstWrite,
      hasSandbox,
      onBoundary: hooks.onBoundary,
    }),
    model: watchedModel(model, hooks),
    submit: async () => [],
    heardModel(error) {
      if (error !== null) hooks.onFailure(error)
    },
    events: { turnEnded: () => undefined, gateOpened: () => undefined },
    onStagedApproved: hooks.onStagedApproved,
  })
  return { session, repository, runner, model, folder }
}

/**
 * Returns the operations of a fork, whose commands in a copy end when its time is over. The fork stops at a command of
 * which nothing is kept: its call stays open for the session that adopts the fork.
 */
function forkCommands(
  operations: ToolOperations,
  clock: SessionForkDeps['clock'],
  session: LiveSession,
  { onBoundary }: ForkHooks,
): ToolOperations {
  const endsAt = clock.now() + runLimits.ms
  return {
    ...operations,
    async execute(command, onOutput, signal) {
      if (command.isSandboxed !== true) return operations.execute(command, onOutput, signal)
      const outOfTime = new AbortController()
      const timer = clock.setTimeout(() => outOfTime.abort(), Math.max(0, endsAt - clock.now()))
      try {
        const either = AbortSignal.any([signal, outOfTime.signal])
        const outcome = await operations.execute(command, onOutput, either)
        if (outcome.isLeftOpen) {
          const kind = outOfTime.signal.aborted ? 'budget' : 'shell'
          const running = session.state.calls.find(({ stage }) => stage === 'running')
          onBoundary({ kind, callId: running?.callId ?? null, title: command.line, copy: 'failed' })
        }
        return outcome
      } finally {
        timer.cancel()
      }
    },
  }
}

/** Returns the model of a fork: requests are made only while the run may go on, and the prompt is never compacted. */
function watchedModel(model: AgentModel, { beforeRequest, onFull }: ForkHooks): AgentModel {
  const before = async (signal: AbortSignal, isQuestion = false): Promise<void> => {
    await beforeRequest(isQuestion)
    signal.throwIfAborted()
  }
  return {
    ...model,
    async decide(context, hooks, signal) {
      await before(signal)
      return model.decide(context, hooks, signal)
    },
    async reply(context, wanted, hooks, signal) {
      await before(signal, wanted.kind === 'question')
      return model.reply(context, wanted, hooks, signal)
    },
    async work(context, step, hooks, signal) {
      await before(signal)
      return model.work(context, step, hooks, signal)
    },
    async needsCompaction(context, signal) {
      if (await model.needsCompaction(context, signal)) onFull()
      signal.throwIfAborted()
      return false
    },
  }
}
