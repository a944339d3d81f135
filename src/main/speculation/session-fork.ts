import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import { AppError } from '../../shared/errors.ts'
import type { AgentModel } from '../agent/model/agent-model.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import type { Clock } from '../deps.ts'
import type { CommandSandbox } from '../sandbox/command-sandbox.ts'
import type { ForkPoint } from '../sessions/adopted-turn.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SessionTools } from '../sessions/runner/runner-deps.ts'
import { SessionRunner } from '../sessions/runner/session-runner.ts'
import type { SessionFolder, SessionPlace } from '../sessions/session-host.ts'
import { endedItem, idOf } from '../sessions/session-items.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import type { WorkSettingsService } from '../settings/work-settings-service.ts'
import type { SessionRecord, SessionRepository, TurnStart } from '../store/sessions/session-repository.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
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

/**
 * Keeps one forked session in memory: it begins as the session is, and nothing of it is in the store.
 *
 * Shape: entries are the very objects of `log`, so that what is known of a prompt by its entries holds here as well.
 * Of the items only those of the fork's own turns are there. A fork is never branched, searched or listed.
 */
export function createForkRepository(from: SessionRecord, log: readonly PromptEntry[]): SessionRepository {
  const { sessionId } = from.session
  const items = new Map<string, SessionItem>()
  const turns = new Map<number, TurnStart>()
  const epochs = new Map<number, PromptEntry[]>([[from.epoch, [...log]]])
  let changes: { turn: number; changeSetId: string }[] = []
  let record = from

  const all = (): SessionItem[] => [...items.values()].sort((one, other) => one.seq - other.seq)
  return {
    add: () => never('add'),
    get(id) {
      if (id !== sessionId) throw new AppError({ code: 'session/not-found', sessionId: id })
      return record
    },
    save(saved) {
      record = saved
    },
    remove: () => items.clear(),
    list: () => [record],
    saveItem: (_id, item) => void items.set(item.itemId, item),
    getItem: (_id, itemId) => items.get(itemId),
    items(_id, { before = Number.MAX_SAFE_INTEGER, limit }) {
      const found = all().filter(({ seq }) => seq < before)
      return { items: found.slice(-limit), hasMore: found.length > limit }
    },
    allItems: all,
    itemsOfTurn: (_id, turn) => all().filter((item) => item.turn === turn),
    backgroundCalls: () => [],
    openItems: () => all().filter((item) => endedItem(item) !== null),
    itemsAbout: (_id, kind, ids) =>
      all().filter((item) => item.kind === kind && ids.includes(idOf(item) ?? '')),
    entries: (_id, epoch) => [...(epochs.get(epoch) ?? [])],
    appendEntries(_id, epoch, position, entries) {
      const before = epochs.get(epoch) ?? []
      epochs.set(epoch, [...before.slice(0, position), ...entries])
    },
    startTurn: (_id, start) => void turns.set(start.turn, start),
    turnStart: (_id, turn) => turns.get(turn),
    addChange: (_id, turn, changeSetId) => void changes.push({ turn, changeSetId }),
    removeChange(changeSetId) {
      changes = changes.filter((one) => one.changeSetId !== changeSetId)
    },
    sessionOfChange: () => null,
    changesSince: (_id, turn) => changes.flatMap((one) => (one.turn >= turn ? [one.changeSetId] : [])),
    turnChangesSince: (_id, turn) => changes.filter((one) => one.turn >= turn),
    forgetChanges(_id, turn) {
      changes = changes.filter((one) => one.turn < turn)
    },
    cut: () => never('cut'),
    copy: () => never('copy'),
    search: () => [],
    imagesInUse: () => new Set(),
    together: (work) => work(),
  }
}

function never(what: string): never {
  throw new Error(`${what}: not in a fork`)
}
