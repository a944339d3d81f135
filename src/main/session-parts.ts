import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { AgentMemory } from '../shared/domain/agent-state.ts'
import { AppError, isAppError } from '../shared/errors.ts'
import { chooseLanguage } from '../shared/i18n/translate.ts'
import { agentWords } from './agent/model/agent-words.ts'
import { createAgentModel } from './agent/model/create-agent-model.ts'
import { AgentRunner } from './agent/runner/agent-runner.ts'
import type { Deps } from './deps.ts'
import type { DocumentService } from './documents/document-service.ts'
import { createAuditLog } from './gates/audit-log.ts'
import { createFolderOffers } from './gates/folder-offer.ts'
import { readGateData } from './gates/gate-data.ts'
import { createGateService, type GateService } from './gates/gate-service.ts'
import { createRuleService, type RuleService } from './gates/rule-service.ts'
import { createTrustService, type TrustService } from './gates/trust-service.ts'
import type { ModelService } from './models/model-service.ts'
import { contentHash } from './platform/content-hash.ts'
import type { Disk } from './platform/disk.ts'
import type { FileWatcher } from './platform/file-watcher.ts'
import { resolveInside } from './platform/real-path.ts'
import { loadPrompts } from './prompts/load-prompts.ts'
import { createReferenceCompletion, type ReferenceCompletion } from './references/reference-completion.ts'
import { createReferenceInterceptor } from './references/reference-interceptor.ts'
import { projectInstructions, readNumberedLines } from './sessions/folder-texts.ts'
import type { OpenSession, SessionFolder } from './sessions/open-sessions.ts'
import { createPromptSubmits, submitOf } from './sessions/prompt-submit.ts'
import { createRequestLog } from './sessions/request-log.ts'
import { createSessionFolders } from './sessions/session-folders.ts'
import { createSessionService, type SessionService } from './sessions/session-service.ts'
import { TurnUndo } from './sessions/turn-undo.ts'
import type { SettingsService } from './settings/settings-service.ts'
import type { WorkSettingsService } from './settings/work-settings-service.ts'
import type { Store } from './store/store.ts'
import { loadSuggestionCues, loadSuggestionWords } from './suggestions/load-suggestion-words.ts'
import { SuggestionCost } from './suggestions/suggestion-cost.ts'
import type { SuggestionPlayer } from './suggestions/suggestion-desk.ts'
import { createSuggestionFilter } from './suggestions/suggestion-filter.ts'
import { createSuggestionService, type SuggestionService } from './suggestions/suggestion-service.ts'
import { createTokenlessSuggestions } from './suggestions/tokenless-suggestions.ts'
import { type AppliedTexts, createAppliedTexts } from './tools/applied-texts.ts'
import { type CommandRunner, createCommandRunner } from './tools/commands/create-command-runner.ts'
import { createLoginEnvironment } from './tools/commands/login-environment.ts'
import { gitConfigurationIn } from './tools/commands/read-only-command.ts'
import { readSecretVariables } from './tools/commands/secret-variables.ts'
import { createToolbox } from './tools/create-toolbox.ts'
import { loadToolWords } from './tools/load-tool-words.ts'
import { createReadLedger } from './tools/read-ledger.ts'
import { textOf } from './tools/respell-text.ts'
import { pathIn } from './tools/root-path.ts'
import { createShellCheck } from './tools/shell/create-shell-check.ts'
import type { GitConfiguration } from './tools/shell/git-configuration.ts'
import type { ToolOperations } from './tools/tool-operations.ts'
import type { ChangeSets } from './workspace/apply-change-set.ts'
import { currentHash } from './workspace/change-plan.ts'
import type { CheckpointStore } from './workspace/checkpoint-store.ts'
import { listFiles } from './workspace/list-files.ts'
import { ripgrepPath } from './workspace/ripgrep-path.ts'
import { createSeveralFolders, fixedFolder } from './workspace/several-folders.ts'
import type { WorkService } from './workspace/work-service.ts'
import { createWorkspaceOperations } from './workspace/workspace-operations.ts'

export type SessionPartsInput = {
  deps: Deps
  disk: Disk
  store: Store
  settings: Pick<SettingsService, 'get' | 'watch'>
  workSettings: Pick<WorkSettingsService, 'get' | 'changes'>
  models: Pick<ModelService, 'active' | 'profiles' | 'recheck' | 'noteFailure'>
  works: Pick<WorkService, 'rootOf'>
  documents: DocumentService
  watcher: Pick<FileWatcher, 'watchFile' | 'watchFolder'>
  changeSets: ChangeSets
  checkpoints: CheckpointStore
}

/** Everything that sessions are made of, put together. */
export type SessionParts = {
  sessions: SessionService
  gates: GateService
  trust: TrustService
  rules: RuleService
  commands: CommandRunner
  texts: AppliedTexts
  suggestions: SuggestionService
  completion: ReferenceCompletion
  language(): 'ja' | 'en'
  close(): Promise<void>
}

/** What the user does by hand belongs to no session. */
const nobody = 'window'

export async function createSessionParts(input: SessionPartsInput): Promise<SessionParts> {
  const { deps, disk, store, settings, workSettings, models, works } = input
  const { documents, watcher, changeSets, checkpoints } = input
  const { clock, random, log, resourcesDir } = deps
  const [prompts, gateData, shellCheck, isSecret, ja, en] = await Promise.all([
    loadPrompts(join(resourcesDir, 'prompts')),
    readGateData(resourcesDir),
    createShellCheck(resourcesDir),
    readSecretVariables(resourcesDir),
    loadToolWords(resourcesDir, 'ja'),
    loadToolWords(resourcesDir, 'en'),
  ])
  const [suggestionWords, suggestionCues] = await Promise.all([
    loadSuggestionWords(resourcesDir),
    loadSuggestionCues(resourcesDir),
  ])
  const suggestionCost = new SuggestionCost()
  const requests = createRequestLog({ clock, random })
  /** Of the sessions in memory, by id. */
  const players = new Map<string, SuggestionPlayer & { session: OpenSession['session'] }>()
  const toolWords = { ja, en }
  const loginEnvironment = createLoginEnvironment({
    ...deps,
    rules: { appDir: join(resourcesDir, '..'), isSecret },
    own: process.env,
  })
  const commands = createCommandRunner({ ...deps, loginEnvironment, shellCheck })
  await commands.endLeftovers()

  const trust = createTrustService({ clock, repository: store.folderTrust })
  const rules = createRuleService({ disk, log, random, repository: store.consentRules, watcher })
  const gates = createGateService({
    clock,
    random,
    log,
    disk,
    shell: shellCheck,
    data: gateData,
    rules,
    trust,
    audit: store.audit,
    watchFile: (path, onChange) => watcher.watchFile(path, onChange),
  })

  const completion = createReferenceCompletion({
    clock,
    log,
    listFiles: (root, signal) => listFiles({ disk, rgPath: ripgrepPath() }, root, signal),
  })
  const audit = createAuditLog({ clock, repository: store.audit })
  const references = createReferenceInterceptor({
    isSecret: gateData.kinds.isSecret,
    openText: (root, path) => documents.openText(join(root, path)),
    limitBytes: () => settings.get().attachedFileBytes,
    client: async (signal) => (await models.active(signal)).client,
    changedNote: (language, path) => agentWords(prompts[language]).fileChanged(path),
    noteSecret(sessionId, { path, hash }) {
      const subject = { tool: 'attach_file', subject: path, risk: 'high' } as const
      if (hash === null) audit.stopped(sessionId, subject, 'refused', null)
      else audit.passed(sessionId, subject, 'approved', { callId: '', by: 'user', name: null, hash })
    },
    noteUse: completion.noteUse,
  })
  const submits = createPromptSubmits(log)
  submits.intercept(references)

  const operationsFor = (root: string, ownerId: string, disk = input.disk): ToolOperations =>
    createWorkspaceOperations({
      root,
      disk,
      documents,
      changeSets: {
        async apply(request) {
          const applied = await changeSets.apply(request)
          completion.noteChange(root)
          return applied
        },
      },
      rgPath: ripgrepPath(),
      commands: {
        async execute({ folder, ...command }, onOutput, signal) {
          const run = { ...command, ownerId, cwd: folder, root }
          const { failure, ...outcome } = await commands.run(run, { onOutput, signal })
          completion.noteChange(root)
          if (failure !== null) throw new AppError(failure)
          return outcome
        },
        commandOutput: (commandId, sinceBytes) => commands.outputOf(commandId, { ownerId, sinceBytes }),
        stopCommand: (commandId) => commands.stop(commandId, ownerId),
      },
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
    instructions: async ({ session: { sessionId }, folder }, at) => {
      const isFree = await gates.readFilter({ sessionId, root: folder.root })
      return projectInstructions(folder.operationsIn(at), textOf, (path) => isFree(pathIn(at, path)))
    },
    note(sessionId, act, path) {
      const subject = { tool: act, subject: path, risk: 'high' } as const
      const record = { callId: '', by: 'user', name: null, hash: contentHash(path) } as const
      if (act === 'add_folder') audit.passed(sessionId, subject, 'approved', record)
      else audit.stopped(sessionId, subject, 'withdrawn', null)
    },
  })

  async function gitConfiguration(folder: string): Promise<GitConfiguration | null> {
    try {
      return await gitConfigurationIn(folder, (await loginEnvironment()).variables)
    } catch (error) {
      if (isAppError(error, 'command/not-read-only')) return null
      throw error
    }
  }

  function play({
    session,
    folder,
  }: {
    session: OpenSession['session']
    folder: SessionFolder
  }): AgentRunner {
    const { sessionId, language } = session
    const { root, operations, ledger } = folder
    const toolbox = createToolbox({
      operations,
      shellCheck,
      words: toolWords[language],
      ledger,
      searchFilter: () => gates.readFilter({ sessionId, root }),
      gitConfiguration: (path) => gitConfiguration(resolve(root, path)),
      addedFolders: () => session.folders.map(({ path }) => path),
      offerFolder: (path) => offers.offer({ root, added: session.folders.map((one) => one.path) }, path),
    })
    const words = agentWords(prompts[language])
    const model = createAgentModel({
      activeModel: (signal, role) => models.active(signal, role),
      prompts,
      toolbox,
      // What is secret was shown once, by the user's leave.
      readLines: async (file) =>
        gateData.kinds.isSecret(file.path) ? null : readNumberedLines(operations, file, textOf),
      random,
      heardReuse: (profileId, reuse) => suggestionCost.wentOn(profileId, reuse),
      requests,
    })
    const runner = new AgentRunner({
      session,
      root,
      toolbox,
      consent: gates,
      words,
      log,
      ledger,
      submit: (message) =>
        submits.submit(
          submitOf({ session, folder }, { ...message, how: 'send' }, new AbortController().signal),
        ),
      model,
      isTrusted: () => trust.get(root).isTrusted,
      instructions: async () =>
        projectInstructions(operations, textOf, await gates.readFilter({ sessionId, root })),
      heardModel: (error) => (error === null ? models.recheck() : models.noteFailure(error)),
      isFolderThere: async () => (await disk.stat(root))?.isDirectory() ?? false,
    })
    players.set(sessionId, {
      session,
      suggest: model.suggest,
      async preRead(text, signal) {
        const ahead = runner.ahead(text)
        return ahead === null ? null : model.preRead(ahead, signal)
      },
    })
    return runner
  }

  const sessions = createSessionService({
    clock,
    random,
    log,
    repository: store.sessions,
    gates,
    undo: new TurnUndo({
      changeSet: (id) => changeSets.get(id),
      bytes: (hash) => checkpoints.get(hash),
      currentHash: async (root, path) => currentHash(disk, await resolveInside(disk, root, path)),
    }),
    rootOf: works.rootOf,
    async openFolder(workId, sessionId, added) {
      const root = works.rootOf(workId)
      const own = { root, operations: operationsFor(root, sessionId) }
      const operationsIn = (at: string): ToolOperations =>
        at === root ? own.operations : operationsFor(at, sessionId, fixedFolder(disk, at))
      const operations = createSeveralFolders({ own, added, operationsIn })
      return { root, operations, operationsIn, ledger: createReadLedger() }
    },
    folders,
    play,
    needModel: (signal) => models.active(signal),
    submits,
    checkWaiting: references.check,
    language,
    memory: {
      get: (workId) => AgentMemory.safeParse(store.works.getState(workId, 'agent-memory')).data,
      set: (workId, memory) => store.works.setState(workId, 'agent-memory', memory),
    },
    requests,
    cameIn: (sessionId) => suggestions.begin(sessionId),
    letGo: (sessionId) => void players.delete(sessionId),
    endCommands: (sessionId) => commands.stopOwned(sessionId),
  })

  trust.onChange((root, { isTrusted }) => sessions.heardTrust(root, isTrusted))

  const suggestions = createSuggestionService({
    clock,
    random,
    log,
    events: store.suggestions,
    cost: suggestionCost,
    filterReason: createSuggestionFilter(suggestionWords),
    tokenless: createTokenlessSuggestions(suggestionCues),
    settings(workId) {
      const [app, own] = [settings.get(), workSettings.get(workId)]
      return {
        isOn: own.enableFollowupSuggestions ?? app.enableFollowupSuggestions,
        sharesCache: own.enableCacheSharing ?? app.enableCacheSharing,
      }
    },
    async models(signal) {
      const { profile } = await models.active(signal)
      const { fastProfileId } = settings.get()
      return { main: profile, fast: models.profiles().find(({ id }) => id === fastProfileId) ?? null }
    },
    hold: sessions.hold,
    player: (sessionId) => players.get(sessionId),
    settingsChanges: (signal) => [settings.watch(signal), workSettings.changes(signal)],
  })

  function language(): 'ja' | 'en' {
    return chooseLanguage(settings.get().language, deps.locale)
  }

  return {
    sessions,
    gates,
    trust,
    rules,
    commands,
    completion,
    texts: createAppliedTexts((workId) => operationsFor(works.rootOf(workId), nobody)),
    suggestions,
    language,
    async close() {
      completion.close()
      await suggestions.close()
      await sessions.close()
      await commands.dispose()
      gates.close()
      trust.close()
    },
  }
}
