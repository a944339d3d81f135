import type { Clock } from '../deps.ts'
import type { CommandSandbox } from '../sandbox/command-sandbox.ts'
import type { ForkPoint } from '../sessions/forked-turn.ts'
import type { SessionTools } from '../sessions/runner/runner-deps.ts'
import { SessionRunner } from '../sessions/runner/session-runner.ts'
import type { SessionFolder, SessionPlace } from '../sessions/session-host.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import type { WorkSettingsService } from '../settings/work-settings-service.ts'
import { forkCommands } from './fork-commands.ts'
import { createForkRepository } from './fork-repository.ts'
import { createForkedToolbox } from './forked-toolbox.ts'
import type { Overlay } from './overlay/overlay.ts'
import { runLimits } from './run-budget.ts'
import { createSpeculationConsent, type SpeculationConsentDeps } from './speculation-consent.ts'
import type { Fork, ForkHooks } from './speculation-run.ts'
import { watchedModel } from './watched-model.ts'

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
  const endsAt = clock.now() + runLimits.ms
  const operations = forkCommands(folder.operations, {
    clock,
    leftMs: () => endsAt - clock.now(),
    callId: () => session.state.calls.find(({ stage }) => stage === 'running')?.callId ?? null,
    onBoundary: hooks.onBoundary,
  })
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
    consent: createSpeculationConsent({
      gates,
      shell: deps.shellCheck,
      sessionId,
      hasWrites: () => overlay.hasWrites,
      stopsAtFirstWrite,
      hasSandbox,
      onBoundary: hooks.onBoundary,
    }),
    model: watchedModel(model, hooks.model),
    submit: async () => [],
    heardModel(error) {
      if (error !== null) hooks.onFailure(error)
    },
    events: { turnEnded: () => undefined, gateOpened: () => undefined },
    onStagedApproved: hooks.onStagedApproved,
  })
  return { session, repository, runner, model, folder }
}
