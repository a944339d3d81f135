import { homedir } from 'node:os'
import { join } from 'node:path'
import type { HostEvent } from '../shared/domain/app/host-info.ts'
import { createTranslate } from '../shared/i18n/translate.ts'
import { createAgentModel } from './agent/model/create-agent-model.ts'
import { agentWords } from './agent/model/prompt/agent-words.ts'
import { repairArguments } from './agent/model/written-calls.ts'
import { createSessionApi } from './api/session-api.ts'
import { folderChecks } from './checks/turn-checks.ts'
import { createCommandParts } from './command-parts.ts'
import type { Deps } from './deps.ts'
import type { DocumentService } from './documents/document-service.ts'
import { exploringTools } from './explore/explorer.ts'
import { createSessionExplorer } from './explore/session-explorer.ts'
import { createAuditLog } from './gates/audit-log.ts'
import { createFolderOffers } from './gates/folder-offer.ts'
import { readGateData } from './gates/gate-data.ts'
import { createGateService } from './gates/gate-service.ts'
import { secretFiles } from './gates/risk/folder-assessment.ts'
import { createRuleService } from './gates/rules/rule-service.ts'
import { createTrustService } from './gates/trust-service.ts'
import { createCommandHooks } from './hooks/command-hooks.ts'
import { createImageInterceptor, imagesFor } from './images/image-interceptor.ts'
import { createImageStore } from './images/image-store.ts'
import { createServerProposals } from './mcp/proposed-servers.ts'
import { createToolServers } from './mcp/tool-servers.ts'
import type { ModelService } from './models/model-service.ts'
import type { Disk } from './platform/files/disk.ts'
import type { FileWatcher } from './platform/files/file-watcher.ts'
import type { Language } from './prompts/agent-prompts.ts'
import { loadPrompts } from './prompts/load-prompts.ts'
import { createChangedFiles } from './references/changed-files.ts'
import { chosenEncodingsOf } from './references/read-reference.ts'
import { createReferenceCompletion } from './references/reference-completion.ts'
import { createReferenceInterceptor } from './references/reference-interceptor.ts'
import { createFolderCommands } from './sandbox/folder-commands.ts'
import { keptMemory } from './sessions/project-memory.ts'
import { createPromptSubmits, submitOf } from './sessions/prompt-submit.ts'
import { createRequestLog } from './sessions/request-log.ts'
import { Rewinds } from './sessions/rewinds.ts'
import type { RunnerEvents } from './sessions/runner/runner-deps.ts'
import { SessionRunner } from './sessions/runner/session-runner.ts'
import { createSessionFolders } from './sessions/session-folders.ts'
import { createSessionHost, type OpenSession, type SessionPlace } from './sessions/session-host.ts'
import { createSessionService } from './sessions/session-service.ts'
import { createSessionTools } from './sessions/session-tools.ts'
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
import { findCommands, readSurroundings } from './surroundings/read-surroundings.ts'
import { createToolbox } from './tools/create-toolbox.ts'
import { loadToolWords } from './tools/defining/tool-words.ts'
import { createAppliedTexts } from './tools/edits/applied-texts.ts'
import { textOf } from './tools/edits/respell-text.ts'
import { createShellCheck } from './tools/shell/create-shell-check.ts'
import { declareTools } from './tools/tool-schema.ts'
import { createWebReader } from './web/web-reader.ts'
import type { ChangeSets } from './workspace/apply-change-set.ts'
import { type CheckpointStore, createCheckpointStore } from './workspace/checkpoint-store.ts'
import { createFolderOperations, reportedChangeSets } from './workspace/folder-operations.ts'
import { listFiles } from './workspace/search/list-files.ts'
import { TurnUndo } from './workspace/undo/turn-undo.ts'
import { undoDisk } from './workspace/undo/undo-disk.ts'
import type { WorkService } from './workspace/work/work-service.ts'
import { createWritableFolder } from './workspace/writable-folder.ts'

export type SessionPartsInput = {
  deps: Deps
  disk: Disk
  store: WholeStore
  settings: Pick<SettingsService, 'get' | 'watch'>
  workSettings: Pick<WorkSettingsService, 'get' | 'switches' | 'changes'>
  /** The language that the window shows, for new sessions and exports. */
  windowLanguage: () => 'ja' | 'en'
  models: Pick<ModelService, 'active' | 'profiles' | 'noteEnd'>
  works: Pick<WorkService, 'rootOf' | 'noteMade' | 'followMoves'>
  documents: DocumentService
  watcher: Pick<FileWatcher, 'watchFile' | 'watchFolder'>
  changeSets: ChangeSets
  checkpoints: CheckpointStore
  unsent: Pick<UnsentMessages, 'sent' | 'changes'>
  /** Sends an event to all windows, or to the first one where none is open. */
  notify(event: HostEvent): void
}

/**
 * Creates and connects the services of sessions. Returns what a window can ask about sessions, and how they end.
 *
 * Errors: a broken installation throws.
 */
export async function createSessionParts(input: SessionPartsInput) {
  const { deps, disk, store, settings, workSettings, models, works, documents } = input
  const { watcher, changeSets, checkpoints, windowLanguage: language } = input
  const { clock, random, log, resourcesDir } = deps
  const [prompts, gateData, shellCheck, ja, en] = await Promise.all([
    loadPrompts(join(resourcesDir, 'prompts')),
    readGateData(resourcesDir),
    createShellCheck(resourcesDir),
    loadToolWords(resourcesDir, 'ja'),
    loadToolWords(resourcesDir, 'en'),
  ])
  const suggestionWords = await loadSuggestionWords(resourcesDir)
  const suggestionCues = await loadSuggestionCues(resourcesDir)
  const suggestionCost = new SuggestionCost()
  const requests = createRequestLog({ clock, random })
  const trust = createTrustService({ clock, repository: store.folderTrust })
  const { kinds } = gateData
  const secretFilesIn = (root: string) => secretFiles(disk, kinds, root)
  const { loginEnvironment, environment, commands, sandbox, git } = await createCommandParts({
    ...input,
    shellCheck,
    kinds,
    trust,
    secretFilesIn,
  })
  const rules = createRuleService({ disk, log, random, repository: store.consentRules, watcher })
  const gates = createGateService({
    ...deps,
    disk,
    shell: shellCheck,
    data: gateData,
    rules,
    trust,
    sandbox,
    audit: store.audit,
    watchFile: (path, onChange) => watcher.watchFile(path, onChange),
  })

  const listed = (root: string, signal: AbortSignal) => listFiles(disk, root, signal)
  const completion = createReferenceCompletion({ clock, log, listFiles: listed })
  const audit = createAuditLog({ clock, repository: store.audit })
  const images = createImageStore({
    files: createCheckpointStore({ ...deps, disk, folder: join(deps.dataDir, 'images') }),
    inUse: store.sessions.imagesInUse,
  })
  const seenImages = () => imagesFor(models, images)
  const references = createReferenceInterceptor({
    secretFiles: secretFilesIn,
    openText: (root, path) => documents.openText(join(root, path)),
    encodings: (sessionId) => chosenEncodingsOf(store, sessionId),
    limitBytes: () => settings.get().attachedFileLimit,
    client: async (signal) => (await models.active(signal)).client,
    audit,
    noteUse: completion.noteUse,
    images: seenImages,
  })
  const hooks = createCommandHooks({
    ...deps,
    commands,
    disk,
    audit,
    loginEnvironment,
    folder: join(deps.dataDir, 'hooks'),
    hooksOf: (sessionId) => workSettings.get(store.sessions.get(sessionId).session.workId).submitHooks,
    isTrusted: (root) => trust.get(root).isTrusted,
    words: () => createTranslate(language()),
  })
  const submits = createPromptSubmits(log, [hooks], [references, createImageInterceptor(models)])

  const { noteChange } = completion
  const heardChangeSets = reportedChangeSets(changeSets, {
    applied(root, changes) {
      noteChange(root)
      works.noteMade(root, changes)
    },
    settled: works.followMoves,
  })
  const writableFolder = (root: string, added: readonly string[]) =>
    createWritableFolder({ disk, documents, changeSets: heardChangeSets, root, added })
  const operations = createFolderOperations({
    disk,
    documents,
    changeSets: heardChangeSets,
    commandsIn: createFolderCommands({ commands, sandbox, writableFolder, noteChange }),
  })

  const offers = createFolderOffers({ ...deps, disk, home: homedir(), isSecret: kinds.isSecret })
  const words = (language: Language) => agentWords(prompts[language])
  const folders = createSessionFolders({ offers, trust, gates, words, decode: textOf, audit })
  const { rootOf } = works
  const serverProposals = createServerProposals({
    ...input,
    rootOf,
    trust,
    operationsIn: operations.byHand,
    decode: textOf,
  })
  const servers = createToolServers({ log, secrets: deps.shell.secrets, settings, environment })
  const exploring = { models, settings, gates, requests, random, repair: repairArguments }
  const toolWords = { ja, en }
  const toolsOf = createSessionTools({
    ...deps,
    disk,
    settings,
    prompts,
    toolWords,
    shellCheck,
    gates,
    trust,
    sandbox,
    git,
    servers,
    web: createWebReader(deps),
    images: seenImages,
    offers,
    secretFiles: secretFilesIn,
    explorer: (place, language, shared) =>
      createSessionExplorer(exploring, place, prompts[language], toolWords[language], () => ({
        ...createToolbox({ ...shared, words: toolWords[language] }),
        declarations: declareTools(toolWords[language], exploringTools),
      })),
    decode: textOf,
    createToolbox,
    createChangedFiles,
    readSurroundings,
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
      checks: folderChecks({ store, workSettings, trust }, place.folder.root, place.session.workId),
      proposedServers: () => serverProposals.names(place.session.workId),
      isReviewed: () => settings.get().reviewChanges === 'always',
      heardModel: models.noteEnd,
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
    ...deps,
    repository: store.sessions,
    gates,
    folders,
    memory,
    play,
    finishUndo: undo.finish,
    openFolder: (workId, sessionId, added) => operations.ofSession(rootOf(workId), sessionId, added),
  })

  const suggesting = {
    cost: suggestionCost,
    filterReason: createSuggestionFilter(suggestionWords),
    models: (signal: AbortSignal) => suggestionModels(input, signal),
  }

  const rewinds = new Rewinds()
  const speculations = await createSpeculationParts({
    ...input,
    rewinds,
    writableFolder,
    gates,
    trust,
    sandbox,
    shellCheck,
    submits,
    suggesting,
    host,
    toolsOf,
    words,
  })

  const suggestions = createSuggestionService({
    ...deps,
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
    rootOf,
    folders,
    language,
    memory,
    requests,
    trust,
    commands,
    sandbox,
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

  return {
    api: createSessionApi({
      servers,
      serverProposals,
      findCommands: (root) =>
        findCommands({ operations: operations.byHand(root), decode: textOf, isFree: () => true }),
      sessions,
      verbs: bindSessionVerbs(host, verbs),
      trust,
      rules,
      rootOf,
      sandbox,
      completion,
      images,
      texts: createAppliedTexts((workId) => operations.byHand(rootOf(workId))),
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
      servers.close()
      await commands.dispose()
      gates.close()
      trust.close()
    },
  }
}
