import { segmentsText } from '../../shared/domain/session/message-segment.ts'
import { isSingleSlot } from '../../shared/suggestion/single-slot.ts'
import { step } from '../agent/agent-machine.ts'
import type { Clock } from '../deps.ts'
import type { TrustService } from '../gates/trust-service.ts'
import type { ModelService } from '../models/model-service.ts'
import type { ActiveModel } from '../models/profiles/active-model.ts'
import { type ForkPoint, forkPoint } from '../sessions/adopted-turn.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { PromptSubmits } from '../sessions/prompt-submit.ts'
import type { SessionFolder, SessionHost } from '../sessions/session-host.ts'
import type { UnsentRepository } from '../store/sessions/unsent-repository.ts'
import { notingCommandReads } from './noted-operands.ts'
import type { Overlays } from './overlay/overlay.ts'
import { forkSession, type SessionForkDeps } from './session-fork.ts'
import { SpeculationRun } from './speculation-run.ts'
import { isOtherText, type RunStart, type SpeculationStartsDeps } from './speculation-starts.ts'

export type SpeculationStarterDeps = SessionForkDeps & {
  clock: Clock
  host: Pick<SessionHost, 'known' | 'hasOpenGate'>
  models: Pick<ModelService, 'active'>
  overlays: Pick<Overlays, 'open'>
  submits: Pick<PromptSubmits, 'submit'>
  trust: Pick<TrustService, 'get'>
  unsent: Pick<UnsentRepository, 'list'>
}

/** Creates a function that starts a suggestion's run in a new overlay and fork; it returns null where it may not run. */
export function createSpeculationStarter(deps: SpeculationStarterDeps): SpeculationStartsDeps['start'] {
  const { host, settings, shellCheck } = deps

  /** Returns the model of the run; null while a foreground request needs it, or the user has a gate to read. */
  async function freeModel(signal: AbortSignal): Promise<ActiveModel | null> {
    const active = await deps.models.active(signal, settings.get().speculationRole, 'background')
    const isBusy = isSingleSlot(active.profile) && active.client.isBusy === true
    return isBusy || host.hasOpenGate() ? null : active
  }

  /** True where the session's message box has another text: its suggestion cannot be seen. */
  function isHidden({ sessionId, workId }: LiveSession, suggested: string): boolean {
    const messages = deps.unsent.list(workId)
    const box = messages.find((one) => one.sessionId === sessionId && one.about === null)
    return isOtherText(segmentsText(box?.segments ?? []), suggested)
  }

  return async ({ sessionId, onto, ...wanted }: RunStart, signal) => {
    const real = host.known(sessionId)
    if (real === undefined) return null
    const { text } = wanted
    const { root } = real.folder
    const isUnseen = (): boolean => onto === null && isHidden(real.session, text)
    if (isUnseen()) return null
    const active = await freeModel(signal)
    if (active === null || !deps.trust.get(root).isTrusted) return null
    const base = onto?.fork ?? real
    const overlay = await (onto?.overlay.stack() ??
      deps.overlays.open({ root, base: real.folder.operations }))
    try {
      const operations = notingCommandReads(overlay, shellCheck)
      const folder: SessionFolder = { ...real.folder, operations, ledger: base.folder.ledger.copy() }
      const segments = [{ kind: 'text' as const, text }]
      const items = await deps.submits.submit({
        sessionId,
        folder,
        segments,
        how: 'send',
        references: {},
        signal,
      })
      if (!signal.aborted && !isUnseen()) {
        const point = pointOf(base.session, onto)
        return new SpeculationRun({
          ...wanted,
          clock: deps.clock,
          modelName: active.modelName,
          items,
          held: [...base.runner.held],
          point,
          overlay,
          fork: (hooks) => forkSession(deps, { base, point, overlay, folder }, hooks),
          session: real.session,
        })
      }
    } catch (error) {
      if (!signal.aborted) {
        await overlay.discard()
        throw error
      }
    }
    await overlay.discard()
    return null
  }
}

/** Returns where a fork leaves its base: a run is based on another one as that will be once it is accepted. */
function pointOf(base: LiveSession, onto: SpeculationRun | null): ForkPoint {
  const point = forkPoint(base)
  return onto === null ? point : { ...point, state: step(point.state, { type: 'staged.accepted' }).state }
}
