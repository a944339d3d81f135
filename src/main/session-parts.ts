import { homedir } from 'node:os'
import { join } from 'node:path'
import type { HostEvent } from '../shared/domain/app/host-info.ts'
import { createAgentModel } from './agent/model/create-agent-model.ts'
import { agentWords } from './agent/model/prompt/agent-words.ts'
import { createSessionApi } from './api/session-api.ts'
import type { Deps } from './deps.ts'
import type { DocumentService } from './documents/document-service.ts'
import { type CommandOwner, createFolderOperations } from './folder-operations.ts'
import { createFolderProposals } from './folder-proposals.ts'
import { createAuditLog } from './gates/audit-log.ts'
import { createFolderOffers } from './gates/folder-offer.ts'
import { readGateData } from './gates/gate-data.ts'
import { createGateService } from './gates/gate-service.ts'
import { createRuleService } from './gates/rules/rule-service.ts'
import { createTrustService } from './gates/trust-service.ts'
import { createImageStore } from './images/image-store.ts'
import type { ModelService } from './models/model-service.ts'
import type { Disk } from './platform/files/disk.ts'
import type { FileWatcher } from './platform/files/file-watcher.ts'
import { loadPrompts } from './prompts/load-prompts.ts'
import { createReferenceCompletion } from './references/reference-completion.ts'
import { createSessionSandbox } from './session-sandbox.ts'
import { createSessionSubmits } from './session-submits.ts'
import { createOutsideTools, createSessionTools } from './session-tools.ts'
import { keptMemory } from './sessions/project-memory.ts'
import { submitOf } from './sessions/prompt-submit.ts'
import { createRequestLog } from './sessions/request-log.ts'
import { Rewinds } from './sessions/rewinds.ts'
import type { RunnerEvents } from './sessions/runner/runner-deps.ts'
import { SessionRunner } from './sessions/runner/session-runner.ts'
import { createSessionFolders } from './sessions/session-folders.ts'
import { createSessionHost, type OpenSession, type SessionPlace } from './sessions/session-host.ts'
import { createSessionService } from './sessions/session-service.ts'
import { createSessionUndo } from './sessions/session-undo.ts'
import { bindSessionVerbs, createSessionVerbs } from './sessions/session-verbs.ts'
import type { UnsentMessages } from './sessions/unsent-messages.ts'
import type { SettingsService } from './settings/settings-service.ts'
import type { WorkSettingsService } from './settings/work-settings-service.ts'
import { createSpeculationParts } from './speculation-parts.ts'
import type { WholeStore } from './store/session-store.ts'
import { SuggestionCost } from './suggestions/suggestion-cost.ts'
import { createSuggestionFilter } from './suggestions/suggestion-filter.ts'
import { suggestionModels } from './suggestions/suggestion-generator.ts'
import { createSuggestionService } from './suggestions/suggestion-service.ts'
import { loadSuggestionCues, loadSuggestionWords } from './suggestions/suggestion-words.ts'
import { createTokenlessSuggestions } from './suggestions/tokenless-suggestions.ts'
import { createCommandRunner } from './tools/commands/create-command-runner.ts'
import { readSecretVariables } from './tools/commands/environment/clean-environment.ts'
import { createLoginEnvironment } from './tools/commands/login-environment.ts'
import { loadToolWords } from './tools/defining/tool-words.ts'
import { createAppliedTexts } from './tools/edits/applied-texts.ts'
import { ReadLedger } from './tools/edits/read-ledger.ts'
import { textOf } from './tools/edits/respell-text.ts'
import { createShellCheck } from './tools/shell/create-shell-check.ts'
import type { ToolOperations } from './tools/tool-operations.ts'
import type { ChangeSets } from './workspace/apply-change-set.ts'
import { type CheckpointStore, createCheckpointStore } from './workspace/checkpoint-store.ts'
import { listFiles } from './workspace/search/list-files.ts'
import { ripgrepPath } from './workspace/search/ripgrep-path.ts'
import { createSeveralFolders, fixedFolder } from './workspace/several-folders.ts'
import { TurnUndo } from './workspace/undo/turn-undo.ts'
import { undoDisk } from './workspace/undo/undo-disk.ts'
import type { WorkService } from './workspace/work/work-service.ts'

export type SessionPartsInput = {
  deps: Deps
  disk: Disk
  store: WholeStore
  settings: Pick<SettingsService, 'get' | 'watch'>
  workSettings: Pick<WorkSettingsService, 'get' | 'switches' | 'changes'>
  /** The language that the window shows, for new sessions and exports. */
  windowLanguage: () => 'ja' | 'en'
  models: Pick<ModelService, 'active' | 'profiles' | 'recheck' | 'noteFailure'>
  works: Pick<WorkService, 'rootOf' | 'noteMade' | 'followMoves'>
  documents: DocumentService
  watcher: Pick<FileWatcher, 'watchFile' | 'watchFolder'>
  changeSets: ChangeSets
  checkpoints: CheckpointStore
  unsent: Pick<UnsentMessages, 'sent' | 'changes'>
  /** Sends an event to all windows, or to the first one where none is open. */
  notify(event: HostEvent): void
}

/** Owner of what the user does by hand, which belongs to no session. */
const windowOwner: CommandOwner = { id: 'window', folders: () => [] }

/**
 * Creates and connects the services of sessions. Returns what a window can ask about sessions, and how they end.
 *
 * Errors: a broken installation throws.
 */
export async function createSessionParts(input: SessionPartsInput) {
  const { deps, disk, store, settings, workSettings, models, works, documents } = input
  const { watcher, changeSets, checkpoints, windowLanguage: language } = input
  const { clock, random, log, resourcesDir } = deps
  const [prompts, gateData, shellCheck, isSecret, ja, en] = await Promise.all([
    loadPrompts(join(resourcesDir, 'prompts')),
    readGateData(resourcesDir),
    createShellCheck(resourcesDir),
    readSecretVariables(resourcesDir),
    loadToolWords(resourcesDir, 'ja'),
    loadToolWords(resourcesDir, 'en'),
  ])
  const suggestionWords = await loadSuggestionWords(resourcesDir)
  const suggestionCues = await loadSuggestionCues(resourcesDir)
  const suggestionCost = new SuggestionCost()
  const requests = createRequestLog({ clock, random })
  const loginEnvironment = createLoginEnvironment({
    ...deps,
    rules: { appDir: join(resourcesDir, '..'), isSecret },
    own: process.env,
  })
  const commands = createCommandRunner({ ...deps, loginEnvironment, shellCheck })
  await commands.endLeftovers()
  const trust = createTrustService({ clock, repository: store.folderTrust })
  const rules = createRuleService({ disk, log, random, repository: store.consentRules, watcher })
  const sandbox = await createSessionSandbox({ ...input, kinds: gateData.kinds, loginEnvironment })
  const gates = createGateService({
    clock,
    random,
    log,
    disk,
    shell: shellCheck,
    data: gateData,
    rules,
    trust,
    sandbox,
    audit: store.audit,
    watchFile: (path, onChange) => watcher.watchFile(path, onChange),
  })

  const listed = (root: string, signal: AbortSignal) =>
    listFiles({ disk, rgPath: ripgrepPath() }, root, signal)
  const completion = createReferenceCompletion({ clock, log, listFiles: listed })
  const audit = createAuditLog({ clock, repository: store.audit })
  const images = createImageStore({
    files: createCheckpointStore({ ...deps, disk, folder: join(deps.dataDir, 'images') }),
    inUse: store.sessions.imagesInUse,
  })
  const { submits, references, seenImages } = createSessionSubmits({
    ...input,
    images,
    kinds: gateData.kinds,
    audit,
    trust,
    commands,
    loginEnvironment,
    noteUse: completion.noteUse,
    language,
  })

  /** Change sets that report every change of a folder to the completion of paths, and to the work. */
  const notedChangeSets: ChangeSets = {
    ...changeSets,
    async apply(request) {
      const applied = await changeSets.apply(request)
      completion.noteChange(request.root)
      works.noteMade(request.root, request.changes)
      return applied
    },
    settled: works.followMoves,
  }

  const operationsFor = createFolderOperations({
    ...input,
    changeSets: notedChangeSets,
    commands,
    sandbox,
    noteChange: completion.noteChange,
  })

  const offers = createFolderOffers({
    disk,
    home: homedir(),
    dataDir: deps.dataDir,
    isSecret: gateData.kinds.isSecret,
  })
  const folders = createSessionFolders({
    offers,
    trust,
    gates,
    words: (language) => agentWords(prompts[language]),
    decode: textOf,
    audit,
  })

  const proposals = createFolderProposals(input, trust, (root) => operationsFor(root, windowOwner))
  const outside = createOutsideTools(deps, settings, loginEnvironment)
  const toolsOf = createSessionTools({
    ...input,
    log,
    clock,
    random,
    requests,
    sandbox,
    prompts,
    toolWords: { ja, en },
    shellCheck,
    gates,
    trust,
    offers,
    kinds: gateData.kinds,
    loginEnvironment,
    images: seenImages,
    ...outside,
  })

  function play(place: SessionPlace, events: RunnerEvents): Pick<OpenSession, 'runner' | 'model'> {
    const { readLines, ...tools } = toolsOf(place)
    const model = createAgentModel({
      activeModel: models.active,
      prompts,
      toolbox: tools.toolbox,
      readLines,
      random,
      isDirect: () => settings.get().decideFirst === 'auto',
      layerTokens: () => settings.get().layerTokens,
      heardReuse: (profileId, reuse) => suggestionCost.wentOn(profileId, reuse),
      requests,
      readImage: async (imageId) => (await images.read(imageId)).toString('base64'),
    })
    const runner = new SessionRunner({
      ...tools,
      session: place.session,
      consent: gates,
      submit: (message) =>
        submits.submit(submitOf(place, { ...message, how: 'send' }, new AbortController().signal)),
      model,
      ...proposals.ofSession(place),
      isReviewed: () => settings.get().reviewChanges === 'always',
      heardModel: (error) => (error === null ? models.recheck() : models.noteFailure(error)),
      events,
    })
    return { runner, model }
  }

  const memory = keptMemory(store.works)
  const undo = createSessionUndo({
    random,
    repository: store.sessions,
    undo: new TurnUndo({
      changeSet: (id) => changeSets.get(id),
      changeSetsFrom: (id) => changeSets.from(id),
      bytes: (hash) => checkpoints.get(hash),
      ...undoDisk({ disk, documents, listFiles: listed }),
    }),
    workState: store.works,
  })
  const host = createSessionHost({
    clock,
    random,
    log,
    repository: store.sessions,
    gates,
    folders,
    memory,
    play,
    finishUndo: undo.finish,
    async openFolder(workId, sessionId, added) {
      const root = works.rootOf(workId)
      const owner = { id: sessionId, folders: () => [root, ...added()] }
      const own = { root, operations: operationsFor(root, owner) }
      const operationsIn = (at: string): ToolOperations =>
        at === root ? own.operations : operationsFor(at, owner, fixedFolder(disk, at))
      const operations = createSeveralFolders({ own, added, operationsIn })
      return { root, operations, operationsIn, ledger: new ReadLedger() }
    },
  })

  const filterReason = createSuggestionFilter(suggestionWords)
  const suggesting = {
    cost: suggestionCost,
    filterReason,
    models: (signal: AbortSignal) => suggestionModels(input, signal),
  }

  const rewinds = new Rewinds()
  const speculations = await createSpeculationParts({
    ...input,
    rewinds,
    changeSets: notedChangeSets,
    gates,
    trust,
    sandbox,
    shellCheck,
    submits,
    suggesting,
    host,
    toolsOf,
    words: (language) => agentWords(prompts[language]),
  })

  const suggestions = createSuggestionService({
    clock,
    random,
    log,
    events: store.suggestions,
    ...suggesting,
    tokenless: createTokenlessSuggestions(suggestionCues),
    switches: workSettings.switches,
    speculation: speculations.of,
    host,
    settingsChanges: (signal) => [settings.watch(signal), workSettings.changes(signal)],
  })

  const sessions = createSessionService({
    ...deps,
    repository: store.sessions,
    gates,
    rules,
    host,
    undo,
    rootOf: works.rootOf,
    folders,
    language,
    memory,
    requests,
    endCommands: (sessionId) => commands.stopOwned(sessionId).then(() => sandbox.dropOf(sessionId)),
    speculations,
  })
  const verbs = createSessionVerbs({
    ...deps,
    rewinds,
    repository: store.sessions,
    gates,
    host,
    undo,
    folders,
    needModel: (signal) => models.active(signal),
    submits,
    speculations,
    checkWaiting: references.check,
    unsent: input.unsent,
    language,
  })
  trust.onChange((root, { isTrusted }) => sessions.heardTrust(root, isTrusted))

  return {
    api: createSessionApi({
      ...outside,
      ...proposals,
      sessions,
      verbs: bindSessionVerbs(host, verbs),
      trust,
      rules,
      rootOf: works.rootOf,
      sandbox,
      completion,
      images,
      texts: createAppliedTexts((workId) => operationsFor(works.rootOf(workId), windowOwner)),
      suggestions,
      speculations,
      store,
    }),
    /** Removes images that nothing names any more. */
    removeLeftovers: () => images.sweep(),
    async close() {
      completion.close()
      await suggestions.close()
      await speculations.close()
      await sessions.close()
      outside.servers.close()
      await commands.dispose()
      gates.close()
      trust.close()
    },
  }
}
