import { resolve } from 'node:path'
import { onAppError } from '../shared/errors.ts'
import { agentWords } from './agent/model/prompt/agent-words.ts'
import type { Clock, Deps, Log } from './deps.ts'
import type { FolderOffers } from './gates/folder-offer.ts'
import type { GateService } from './gates/gate-service.ts'
import type { FileKinds } from './gates/risk/file-kinds.ts'
import { secretFiles } from './gates/risk/folder-assessment.ts'
import type { TrustService } from './gates/trust-service.ts'
import type { ImageStore } from './images/image-store.ts'
import { createToolServers } from './mcp/tool-servers.ts'
import type { Disk } from './platform/files/disk.ts'
import { isInside } from './platform/files/real-path.ts'
import type { AgentPrompts, Language } from './prompts/agent-prompts.ts'
import { createChangedFiles } from './references/changed-files.ts'
import { createSessionExplorer, type ExploringDeps, roleThatExplores } from './session-explorer.ts'
import { projectInstructions, readNumberedLines } from './sessions/folder-texts.ts'
import type { SessionTools } from './sessions/runner/runner-deps.ts'
import type { SessionPlace } from './sessions/session-host.ts'
import type { SettingsService } from './settings/settings-service.ts'
import { readSurroundings } from './surroundings/read-surroundings.ts'
import { gitConfigurationIn, hardenCommand } from './tools/commands/command-start.ts'
import { gitSecrets } from './tools/commands/environment/git-secrets.ts'
import { programsOutside } from './tools/commands/environment/program-path.ts'
import type { LoginEnvironment } from './tools/commands/login-environment.ts'
import type { Toolbox } from './tools/create-toolbox.ts'
import { createToolbox } from './tools/create-toolbox.ts'
import type { ToolWords } from './tools/defining/tool-words.ts'
import { textOf } from './tools/edits/respell-text.ts'
import type { ShellCheck } from './tools/shell/create-shell-check.ts'
import type { GitConfiguration } from './tools/shell/read-only-run.ts'
import { createWebReader, type WebReader } from './web/web-reader.ts'

type SessionToolsDeps = Pick<OutsideTools, 'web' | 'servers'> &
  ExploringDeps & {
    log: Log
    clock: Pick<Clock, 'now'>
    sandbox: { isOn(root: string): boolean }
    disk: Disk
    /** Returns null where the model in use takes no images. */
    images(): Promise<Pick<ImageStore, 'keep'> | null>
    prompts: Record<Language, AgentPrompts>
    toolWords: Record<Language, ToolWords>
    shellCheck: ShellCheck
    gates: Pick<GateService, 'readFilter' | 'weigh' | 'settle'>
    trust: Pick<TrustService, 'get'>
    offers: FolderOffers
    kinds: FileKinds
    loginEnvironment(): Promise<LoginEnvironment>
  }

/** Creates the tools and texts of a place. */
export function createSessionTools(deps: SessionToolsDeps): (place: SessionPlace) => SessionTools {
  const { log, disk, prompts, gates, trust, offers } = deps

  async function gitConfiguration(
    roots: readonly string[],
    folder: string,
  ): Promise<GitConfiguration | null> {
    const env = await programsOutside((await deps.loginEnvironment()).variables, roots)
    return gitConfigurationIn(folder, env).catch(onAppError(null, 'command/not-read-only'))
  }

  return ({ session, folder }) => {
    const { sessionId } = session
    const { root, operations, ledger } = folder
    // Servers are started early, so that their tools are known by the first message.
    const servers = deps.servers.within(root)
    if (trust.get(root).isTrusted) servers.begin()
    const added = (): string[] => session.folders.map(({ path }) => path)
    const roots = (): string[] => [root, ...added()]
    const homeOf = (path: string): string => roots().find((each) => isInside(each, path)) ?? root
    const common = {
      operations,
      shellCheck: deps.shellCheck,
      searchFilter: () => gates.readFilter({ sessionId, root }),
      secretFiles: () => secretFiles(disk, deps.kinds, root),
      addedFolders: added,
    }
    const toolboxIn = (language: Language): Toolbox => {
      const words = deps.toolWords[language]
      const explorer = createSessionExplorer(deps, { session, folder }, prompts[language], words, common)
      return createToolbox({
        ...common,
        words,
        ledger,
        explorer: () => (roleThatExplores(deps) === null ? null : explorer),
        gitConfiguration: (path) => gitConfiguration(roots(), resolve(root, path)),
        async gitSecrets(path, commands) {
          const cwd = resolve(root, path)
          const home = homeOf(cwd)
          const configuration = await gitConfiguration(roots(), cwd)
          // Without trust no git command is run in the folder.
          if (configuration === null || !trust.get(root).isTrusted) return []
          const env = await programsOutside((await deps.loginEnvironment()).variables, roots())
          const { isSecret } = deps.kinds
          const isSecretFile = secretFiles(disk, deps.kinds, home)
          return gitSecrets({ root: home, cwd, env, configuration, isSecret, isSecretFile }, commands)
        },
        web: deps.web,
        images: deps.images,
        servers: () => (trust.get(root).isTrusted ? servers : null),
        offerFolder: (path) => offers.offer({ root, added: added() }, path),
      })
    }
    const toolboxes = { ja: toolboxIn('ja'), en: toolboxIn('en') }
    // The session's language is known only from its first message on, after the toolboxes are made.
    const toolbox: Toolbox = {
      noteWindow(windowTokens) {
        for (const each of Object.values(toolboxes)) each.noteWindow?.(windowTokens)
      },
      begin: () => toolboxes[session.language].begin?.() ?? [],
      get declarations() {
        return toolboxes[session.language].declarations
      },
      directDeclarations: (course, results) =>
        toolboxes[session.language].directDeclarations?.(course, results) ?? [],
      callSchema: (options) => toolboxes[session.language].callSchema(options),
      prepare: (calls) => toolboxes[session.language].prepare(calls),
      filesInUse: () => ledger.filesInUse(),
    }
    return {
      // A secret file was shown once, with the user's consent, and is not read again.
      readLines: async (file) =>
        (await secretFiles(disk, deps.kinds, root)(file.path))
          ? null
          : readNumberedLines(operations, file, textOf),
      root,
      toolbox,
      words: () => agentWords(prompts[session.language]),
      log,
      ledger,
      changedFiles: createChangedFiles({ operations, ledger }),
      isTrusted: () => trust.get(root).isTrusted,
      instructions: async () =>
        projectInstructions(operations, textOf, await gates.readFilter({ sessionId, root })),
      async surroundings(signal) {
        const isTrusted = trust.get(root).isTrusted
        const env = async () => programsOutside((await deps.loginEnvironment()).variables, roots())
        return readSurroundings(
          {
            root,
            operations,
            prompts: prompts[session.language],
            now: deps.clock.now(),
            platform: process.platform,
            decode: textOf,
            isFree: await gates.readFilter({ sessionId, root }),
            isSandboxed: isTrusted && deps.sandbox.isOn(root),
            git: async () =>
              isTrusted
                ? hardenCommand(deps.shellCheck, {
                    line: 'git status --porcelain --branch',
                    cwd: root,
                    env: await env(),
                    isLiteral: false,
                  })
                : null,
          },
          signal,
        )
      },
      isFolderThere: async () => (await disk.stat(root))?.isDirectory() ?? false,
    }
  }
}

/** Access of tools to places outside of this machine, as far as the user has switched it on. */
type OutsideTools = ReturnType<typeof createOutsideTools>

export function createOutsideTools(
  deps: Deps,
  settings: Pick<SettingsService, 'get' | 'watch'>,
  loginEnvironment: () => Promise<LoginEnvironment>,
) {
  const reader = createWebReader(deps)
  return {
    /** Returns null while the user has switched off the reading of web pages. */
    web: (): WebReader | null => (settings.get().isWebFetchOn ? reader : null),
    servers: createToolServers({
      log: deps.log,
      secrets: deps.shell.secrets,
      settings,
      environment: async () => (await loginEnvironment()).variables,
    }),
  }
}
