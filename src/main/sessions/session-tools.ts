import { resolve } from 'node:path'
import { agentWords } from '../agent/model/prompt/agent-words.ts'
import type { Clock, Log } from '../deps.ts'
import type { Explorer } from '../explore/explorer.ts'
import type { FolderOffers } from '../gates/folder-offer.ts'
import type { GateService } from '../gates/gate-service.ts'
import type { TrustService } from '../gates/trust-service.ts'
import type { ImageStore } from '../images/image-store.ts'
import type { ToolServers } from '../mcp/tool-servers.ts'
import type { Disk } from '../platform/files/disk.ts'
import type { AgentPrompts, Language } from '../prompts/agent-prompts.ts'
import type { createChangedFiles } from '../references/changed-files.ts'
import type { CommandSandbox } from '../sandbox/command-sandbox.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import type { readSurroundings } from '../surroundings/read-surroundings.ts'
import type { GitReader } from '../tools/commands/git-reader.ts'
import type { createToolbox, Toolbox } from '../tools/create-toolbox.ts'
import type { ToolWords } from '../tools/defining/tool-words.ts'
import type { ShellCheck } from '../tools/shell/create-shell-check.ts'
import type { WebReader } from '../web/web-reader.ts'
import { projectInstructions, readNumberedLines } from './folder-texts.ts'
import type { SessionTools } from './runner/runner-deps.ts'
import type { SessionPlace } from './session-host.ts'

/** The parts of a toolbox that an explorer of the same folder shares. */
type SharedTools = Omit<Parameters<typeof createToolbox>[0], 'ledger' | 'words'>

type SessionToolsDeps = {
  log: Log
  clock: Pick<Clock, 'now'>
  disk: Pick<Disk, 'stat'>
  settings: Pick<SettingsService, 'get'>
  prompts: Record<Language, AgentPrompts>
  toolWords: Record<Language, ToolWords>
  shellCheck: ShellCheck
  gates: Pick<GateService, 'readFilter'>
  trust: Pick<TrustService, 'get'>
  sandbox: Pick<CommandSandbox, 'isOn'>
  git: GitReader
  servers: Pick<ToolServers, 'within'>
  /** Used while the user allows the reading of web pages. */
  web: WebReader
  /** Returns null where the model in use takes no images. */
  images(): Promise<Pick<ImageStore, 'keep'> | null>
  offers: FolderOffers
  secretFiles(root: string): (path: string) => Promise<boolean>
  explorer(place: SessionPlace, language: Language, shared: SharedTools): () => Explorer | null
  decode(bytes: Uint8Array, path: string): string
  createToolbox: typeof createToolbox
  createChangedFiles: typeof createChangedFiles
  readSurroundings: typeof readSurroundings
}

/** Creates the tools and texts of a place. */
export function createSessionTools(deps: SessionToolsDeps): (place: SessionPlace) => SessionTools {
  const { log, prompts, gates, git, decode } = deps
  return ({ session, folder }) => {
    const { sessionId } = session
    const { root, operations, ledger } = folder
    const isTrusted = (): boolean => deps.trust.get(root).isTrusted
    // Servers are started early, so that their tools are known by the first message.
    const servers = deps.servers.within(root)
    if (isTrusted()) servers.begin()
    const added = (): string[] => session.folders.map(({ path }) => path)
    const roots = (): [string, ...string[]] => [root, ...added()]
    const readFilter = () => gates.readFilter({ sessionId, root })
    const secretFiles = () => deps.secretFiles(root)
    const { shellCheck, images } = deps
    const shared = { operations, shellCheck, searchFilter: readFilter, secretFiles, addedFolders: added }
    const toolboxIn = (language: Language): Toolbox =>
      deps.createToolbox({
        ...shared,
        words: deps.toolWords[language],
        ledger,
        explorer: deps.explorer({ session, folder }, language, shared),
        gitConfiguration: (path) => git.configuration(roots(), resolve(root, path)),
        gitSecrets: (path, commands) => git.secrets(roots(), resolve(root, path), commands),
        web: () => (deps.settings.get().isWebFetchOn ? deps.web : null),
        images,
        servers: () => (isTrusted() ? servers : null),
        offerFolder: (path) => deps.offers.offer({ root, added: added() }, path),
      })
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
        (await secretFiles()(file.path)) ? null : readNumberedLines(operations, file, decode),
      root,
      toolbox,
      words: () => agentWords(prompts[session.language]),
      log,
      ledger,
      changedFiles: deps.createChangedFiles({ operations, ledger }),
      isTrusted,
      instructions: async () => projectInstructions(operations, decode, await readFilter()),
      surroundings: async (signal) =>
        deps.readSurroundings(
          {
            root,
            operations,
            prompts: prompts[session.language],
            now: deps.clock.now(),
            platform: process.platform,
            decode,
            isFree: await readFilter(),
            isSandboxed: isTrusted() && deps.sandbox.isOn(root),
            git: () => git.status(roots()),
          },
          signal,
        ),
      isFolderThere: async () => (await deps.disk.stat(root))?.isDirectory() ?? false,
    }
  }
}
