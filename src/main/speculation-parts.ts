import type { ModelUsage } from '../shared/domain/model/model-status.ts'
import { type MessageSegment, segmentsText } from '../shared/domain/session/message-segment.ts'
import { isSingleSlot } from '../shared/suggestion/single-slot.ts'
import type { AgentWords } from './agent/model/prompt/agent-words.ts'
import type { PromptEntry } from './agent/model/prompt/prompt-entry.ts'
import type { Deps } from './deps.ts'
import type { DocumentService } from './documents/document-service.ts'
import type { GateService } from './gates/gate-service.ts'
import type { TrustService } from './gates/trust-service.ts'
import type { ModelService } from './models/model-service.ts'
import type { ActiveModel } from './models/profiles/active-model.ts'
import { createBroadcast } from './platform/broadcast.ts'
import type { Disk } from './platform/files/disk.ts'
import type { CommandSandbox } from './sandbox/command-sandbox.ts'
import type { SessionPlace, SessionTools } from './session-tools.ts'
import { type ForkPoint, forkPoint, readFork } from './sessions/forked-turn.ts'
import { LiveSession } from './sessions/live-session.ts'
import type { SubmitItem } from './sessions/prompt-submit.ts'
import type { Rewinds } from './sessions/rewinds.ts'
import { SessionRunner } from './sessions/runner/session-runner.ts'
import type { SessionFolder, SessionHost } from './sessions/session-host.ts'
import type { UnsentMessages } from './sessions/unsent-messages.ts'
import type { SettingsService } from './settings/settings-service.ts'
import type { WorkSettingsService } from './settings/work-settings-service.ts'
import type { AcceptableLink } from './speculation/accept/acceptable-link.ts'
import { createAcceptance } from './speculation/accept/acceptance.ts'
import { acceptedState } from './speculation/accept/accepted-state.ts'
import { previewOfFiles } from './speculation/accept/preview-files.ts'
import { changedFiles } from './speculation/accept/staged-call.ts'
import { forkCommands } from './speculation/fork-commands.ts'
import { createForkRepository } from './speculation/fork-repository.ts'
import { createForkedToolbox } from './speculation/forked-toolbox.ts'
import { notingCommandReads } from './speculation/noted-operands.ts'
import { createOverlays } from './speculation/overlay/create-overlays.ts'
import type { Overlay } from './speculation/overlay/overlay.ts'
import { runLimits } from './speculation/run-budget.ts'
import { createSpeculationConsent } from './speculation/speculation-consent.ts'
import type { SpeculationLink } from './speculation/speculation-link.ts'
import { pausingBy } from './speculation/speculation-pausing.ts'
import { type Fork, type ForkHooks, SpeculationRun } from './speculation/speculation-run.ts'
import { createSpeculationService, type SpeculationService } from './speculation/speculation-service.ts'
import { isOtherText, type RunStart, type StartedRun } from './speculation/speculation-starts.ts'
import { watchedModel } from './speculation/watched-model.ts'
import type { WholeStore } from './store/session-store.ts'
import { lastReply, recentItems } from './suggestions/session-facts.ts'
import { generateSuggestion, type SuggestionGeneratorDeps } from './suggestions/suggestion-generator.ts'
import type { SuggestionModels } from './suggestions/suggestion-routes.ts'
import { respellText, shownText } from './tools/edits/respell-text.ts'
import type { ShellCheck } from './tools/shell/create-shell-check.ts'
import type { ChangeSets } from './workspace/apply-change-set.ts'
import { ripgrepPath } from './workspace/search/ripgrep-path.ts'
import { createWorkspaceSearch } from './workspace/search/workspace-search.ts'
import { createWritableFolder } from './workspace/writable-folder.ts'

export type SpeculationPartsInput = {
  deps: Pick<Deps, 'clock' | 'random' | 'log' | 'hostId' | 'dataDir'>
  disk: Disk
  store: Pick<WholeStore, 'sessions' | 'speculations' | 'settings' | 'unsentMessages'>
  settings: Pick<SettingsService, 'get' | 'watch'>
  workSettings: Pick<WorkSettingsService, 'get' | 'changes'>
  models: Pick<ModelService, 'active'>
  documents: DocumentService
  changeSets: ChangeSets
  gates: GateService
  shellCheck: ShellCheck
  trust: Pick<TrustService, 'get' | 'onChange'>
  sandbox: Pick<CommandSandbox, 'isReady' | 'isOn'>
  host: Pick<SessionHost, 'known' | 'on' | 'turnEnded' | 'hasOpenGate' | 'listChanged'>
  rewinds: Pick<Rewinds, 'over'>
  toolsOf(place: SessionPlace): SessionTools
  words(language: 'ja' | 'en'): AgentWords
  /** Returns the attachments of a message. Errors: why such a message would not be sent. */
  submit(place: SessionPlace, segments: MessageSegment[], signal: AbortSignal): Promise<SubmitItem[]>
  unsent: Pick<UnsentMessages, 'changes'>
  suggestionModels(signal: AbortSignal): Promise<SuggestionModels>
  suggestions: Pick<SuggestionGeneratorDeps, 'cost' | 'filterReason'>
}

/** Units: ms. */
const searchTimeoutMs = 20_000

/** Context of a run that the run itself does not have. */
type Standing = {
  from: ForkPoint
  overlay: Overlay
  folder: SessionFolder
  modelName: string
  /** What the session still had to tell its model when the run began. */
  heldBefore: readonly PromptEntry[]
}

/** Creates the service of speculations with all its parts. */
export async function createSpeculationParts(input: SpeculationPartsInput): Promise<SpeculationService> {
  const { deps, disk, store, settings, workSettings, gates, trust, host } = input
  const { clock, random, log } = deps
  const rgPath = ripgrepPath()
  const texts = { read: shownText, respell: respellText }
  const overlays = createOverlays({
    ...deps,
    disk,
    searchIn: (place) => createWorkspaceSearch({ ...place, disk, rgPath, timeoutMs: searchTimeoutMs }),
  })
  await overlays.sweep()
  store.speculations.interruptLeftovers()
  const acceptance = createAcceptance({
    clock,
    random,
    repository: store.sessions,
    gates,
    folder: (root, added) => createWritableFolder({ ...input, root, added }),
    texts,
    words: input.words,
  })
  const trustChanges = createBroadcast<void>()
  const endTrust = trust.onChange(() => trustChanges.send())
  const standings = new WeakMap<SpeculationRun, Standing>()

  function fork(
    base: Pick<Fork, 'session' | 'model'>,
    { from, overlay, folder }: Pick<Standing, 'from' | 'overlay' | 'folder'>,
    hooks: ForkHooks,
  ): Fork {
    const { sessionId, log: entries } = base.session
    const repository = createForkRepository({ ...from.record, state: from.state }, entries)
    const session = new LiveSession({ clock, random, repository, onListed: () => undefined }, sessionId)
    session.setFolders(base.session.folders)
    const endsAt = clock.now() + runLimits.ms
    const operations = forkCommands(folder.operations, {
      clock,
      leftMs: () => endsAt - clock.now(),
      callId: () => session.state.calls.find(({ stage }) => stage === 'running')?.callId ?? null,
      onBoundary: hooks.onBoundary,
    })
    const place = { session, folder: { ...folder, operations } }
    const { toolbox: tools, readLines, runner: runnerParts } = input.toolsOf(place)
    const stopsAtFirstWrite = (): boolean => switches(session.workId).stopsAtFirstWrite
    const hasSandbox = (): Promise<boolean> => input.sandbox.isReady(folder.root)
    const toolbox = createForkedToolbox({
      toolbox: tools,
      operations: overlay.operations,
      state: () => session.state,
      stopsAtFirstWrite,
      hasSandbox,
    })
    const { speculationRole: role } = settings.get()
    const model = base.model.fork(sessionId, { toolbox, readLines, requests: hooks.requests, role })
    const consent = createSpeculationConsent({
      gates,
      shell: input.shellCheck,
      sessionId,
      hasWrites: () => overlay.hasWrites,
      stopsAtFirstWrite,
      hasSandbox,
      onBoundary: hooks.onBoundary,
    })
    const runner = new SessionRunner({
      ...runnerParts,
      session,
      toolbox,
      consent,
      model: watchedModel(model, hooks.model),
      submit: async () => [],
      heardModel(error) {
        if (error !== null) hooks.onFailure(error)
      },
      events: { turnEnded: () => undefined, gateOpened: () => undefined },
      onStagedApproved: hooks.onStagedApproved,
    })
    return { session, repository, runner, model, ledger: folder.ledger }
  }

  async function mayAsk(signal: AbortSignal): Promise<ActiveModel | null> {
    const active = await input.models.active(signal, settings.get().speculationRole, 'background')
    const isTaken = isSingleSlot(active.profile) && active.client.isBusy === true
    return isTaken || host.hasOpenGate() ? null : active
  }

  /** True where the session's message box has another text: its suggestion cannot be seen. */
  function isWriting({ sessionId, workId }: LiveSession, text: string): boolean {
    const box = store.unsentMessages
      .list(workId)
      .find((one) => one.sessionId === sessionId && one.about === null)
    return isOtherText(segmentsText(box?.segments ?? []), text)
  }

  async function start(wanted: RunStart, signal: AbortSignal): Promise<StartedRun | null> {
    const { sessionId, speculationId, text, onto, onChange } = wanted
    const real = host.known(sessionId)
    if (real === undefined) return null
    const isUnseen = () => onto === null && isWriting(real.session, text)
    if (isUnseen()) return null
    const active = await mayAsk(signal)
    if (active === null || !trust.get(real.folder.root).isTrusted) return null
    const base = onto?.fork ?? { ...real, ledger: real.folder.ledger }
    const below = onto === null ? undefined : standings.get(onto)
    const { root } = real.folder
    const overlay = await (below?.overlay.stack() ?? overlays.open({ root, base: real.folder.operations }))
    try {
      const folder: SessionFolder = {
        ...real.folder,
        operations: notingCommandReads(overlay, input.shellCheck),
        ledger: base.ledger.copy(),
      }
      const items = await input.submit({ session: base.session, folder }, [{ kind: 'text', text }], signal)
      signal.throwIfAborted()
      if (isUnseen()) {
        await overlay.discard()
        return null
      }
      const state =
        onto === null
          ? base.session.state
          : acceptedState(base.session.state, onto.files.length > 0 ? 'applied' : 'unchanged').state
      const from = { ...forkPoint(base.session), state }
      const heldBefore = [...base.runner.held]
      const run = new SpeculationRun({
        clock,
        speculationId,
        text,
        overlay,
        fork: (hooks) => fork(base, { from, overlay, folder }, hooks),
        held: heldBefore,
        count: (usage) => count(real.session, usage),
        onChange,
      })
      standings.set(run, { from, overlay, folder, modelName: active.modelName, heldBefore })
      return { run, items, modelName: active.modelName }
    } catch (error) {
      await overlay.discard()
      if (signal.aborted) return null
      throw error
    }
  }

  /** Suggests the message after a run, with the same prompt as any suggestion. */
  async function suggest(run: SpeculationRun, signal: AbortSignal): Promise<string | null> {
    const { session, model } = run.fork
    const real = host.known(session.sessionId)
    if (real === undefined || host.hasOpenGate()) return null
    const { sessionId, workId, language, turn, log: entries, state } = session
    const context = { sessionId, language, turn, log: entries, state, folders: session.folders }
    const made = await generateSuggestion(
      { clock, log, ...input.suggestions },
      {
        models: await input.suggestionModels(signal),
        sharesCache: switches(workId).sharesCache,
        // A run that ends with its review has no reply of its own.
        reply: lastReply([real.session, session].flatMap(recentItems)),
        ask: (ask, end) => model.suggest(context, ask, end),
      },
      signal,
    )
    if (made.usage !== null) count(real.session, made.usage)
    return made.text
  }

  function linkOf({ run, speculationId }: SpeculationLink): AcceptableLink {
    const standing = standings.get(run)
    if (standing === undefined) throw new Error('a run ahead that stands nowhere')
    const { from, overlay, modelName, heldBefore } = standing
    const { session, repository, ledger, runner } = run.fork
    return {
      speculationId,
      overlay,
      ledger,
      boundary: run.boundary,
      held: runner.held,
      heldBefore,
      fork() {
        const turn = readFork(from, session, repository, modelName)
        // Drop unfinished answers: they never entered the prompt.
        const items = turn.items.filter((item) => item.kind !== 'answer' || item.state === 'finished')
        return { ...turn, items }
      },
    }
  }

  function switches(workId: string) {
    const [app, own] = [settings.get(), workSettings.get(workId)]
    return {
      isOn: own.enableSpeculation ?? app.enableSpeculation,
      isChained: own.enableChainedSpeculation ?? app.enableChainedSpeculation,
      stopsAtFirstWrite: own.stopAtFirstWrite ?? app.stopAtFirstWrite,
      sharesCache: own.enableCacheSharing ?? app.enableCacheSharing,
    }
  }

  const service = createSpeculationService({
    clock,
    random,
    log,
    events: store.speculations,
    pausing: pausingBy(store.speculations, store.settings),
    check: (sessionId) => void store.sessions.get(sessionId),
    settings(sessionId) {
      const open = host.known(sessionId)
      if (open === undefined) return { isOn: false, isChained: false }
      const { isOn, isChained } = switches(open.session.workId)
      return { isOn: isOn && trust.get(open.folder.root).isTrusted, isChained }
    },
    start,
    suggest,
    async accept(sessionId, link, answers) {
      const open = host.known(sessionId)
      if (open === undefined) return { step: 'lost' }
      // An undo that is under way would remove the accepted turn as well.
      await input.rewinds.over(open)
      const { session, runner, folder } = open
      const into = { session, runner, root: folder.root, ledger: folder.ledger }
      return acceptance.accept(linkOf(link), into, answers)
    },
    withdrawGate: (sessionId, gateId) => gates.withdraw(sessionId, gateId),
    taken(sessionId, run, { goesOn, files }) {
      const open = host.known(sessionId)
      open?.model.adopt(sessionId, run.fork.model)
      if (goesOn) open?.runner.goOn(files.length > 0)
    },
    async outlook(sessionId, link) {
      const open = host.known(sessionId)
      if (open === undefined) return 'write'
      const { session, runner, folder } = open
      return acceptance.outlook(linkOf(link), { session, runner, root: folder.root, ledger: folder.ledger })
    },
    preview: async ({ files }) => previewOfFiles(texts, files),
    askingChanged(sessionId) {
      const open = host.known(sessionId)
      if (open !== undefined) host.listChanged(open.session.workId)
    },
    turnEnded: host.turnEnded,
    host,
    changedFiles: (files) =>
      changedFiles(
        texts,
        files
          .filter(({ ignoredTop }) => ignoredTop === null)
          .map(({ path, baseBytes: oldBytes, newBytes, mode }) => ({ path, oldBytes, newBytes, mode })),
      ),
    unsent: input.unsent.changes,
    changes: (signal) => [
      settings.watch(signal),
      workSettings.changes(signal),
      trustChanges.subscribe(signal),
    ],
  })
  return {
    ...service,
    async close() {
      endTrust()
      await service.close()
    },
  }
}

/** Adds the tokens to the session's statistics; the meter of its context stays as it is. */
function count(session: LiveSession, usage: ModelUsage): void {
  session.count({
    requests: 1,
    promptTokens: usage.promptTokens,
    reusedTokens: usage.reusedTokens ?? 0,
    completionTokens: usage.completionTokens,
    modelMs: usage.msTotal,
  })
}
