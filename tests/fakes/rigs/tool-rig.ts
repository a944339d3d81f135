import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Explorer } from '../../../src/main/explore/explorer.ts'
import type { ServerTools } from '../../../src/main/mcp/tool-servers.ts'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import type { Toolbox } from '../../../src/main/tools/create-toolbox.ts'
import { createToolbox } from '../../../src/main/tools/create-toolbox.ts'
import type { ToolWords } from '../../../src/main/tools/defining/tool-words.ts'
import { loadToolWords } from '../../../src/main/tools/defining/tool-words.ts'
import { ReadLedger } from '../../../src/main/tools/edits/read-ledger.ts'
import type { CallResult, PreparedCall, ReadCall } from '../../../src/main/tools/prepared-call.ts'
import { createShellCheck, type ShellCheck } from '../../../src/main/tools/shell/create-shell-check.ts'
import type {
  CommandOutcome,
  CommandRequest,
  ToolOperations,
} from '../../../src/main/tools/tool-operations.ts'
import type { WebReader } from '../../../src/main/web/web-reader.ts'
import type { ChangeSets } from '../../../src/main/workspace/apply-change-set.ts'
import { createSeveralFolders, fixedFolder } from '../../../src/main/workspace/several-folders.ts'
import {
  createWorkspaceOperations,
  type WorkspaceCommands,
} from '../../../src/main/workspace/workspace-operations.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import type { WholeStore } from '../disks/test-store.ts'
import { changeSetRig } from './change-set-rig.ts'
import { type DocumentRig, documentRig } from './document-rig.ts'

const resourcesDir = resolve(import.meta.dirname, '../../../resources')
let shared: Promise<{ shellCheck: ShellCheck; words: Record<'ja' | 'en', ToolWords> }> | undefined

/** The shell check and the words, loaded once for all tests of a file. */
export function toolParts(): NonNullable<typeof shared> {
  shared ??= (async () => {
    const [shellCheck, ja, en] = await Promise.all([
      createShellCheck(resourcesDir),
      loadToolWords(resourcesDir, 'ja'),
      loadToolWords(resourcesDir, 'en'),
    ])
    return { shellCheck, words: { ja, en } }
  })()
  return shared
}

/** A Web of which every page is empty. */
const noPages: WebReader = {
  check: () => undefined,
  read: async ({ href }) => ({ address: href, title: '', text: '', isCut: false }),
}

/** A server that has a tool and answers with an empty text. */
export const anyServer: ServerTools = {
  begin: () => [],
  offered: () => [
    {
      server: 'any',
      name: 'because',
      callName: 'mcp__any__because',
      description: '',
      inputSchema: { type: 'object' },
      declared: { fingerprint: 'any', description: '' },
    },
  ],
  call: async () => ({ isOk: true, text: '' }),
}

/** Finds nothing anywhere. */
const noExplorer: Explorer = {
  explore: async () => ({ text: '', end: 'whole', requests: 1, modelName: 'fake', places: 0, unseen: [] }),
}

/** Tools over a real folder, real documents and real change sets; commands are only recorded. */
export type ToolRig = {
  root: string
  /** Further folders of the tools, by real paths, which the test adds. */
  added: string[]
  toolbox: Toolbox
  operations: ToolOperations
  ledger: ReadLedger
  documents: DocumentRig
  changeSets: ChangeSets
  commands: (Omit<CommandRequest, 'folder'> & { folder: string })[]
  /** The outcome of the next command. */
  outcome: CommandOutcome
  write(path: string, content: string | Uint8Array): void
  bytes(path: string): Buffer
  text(path: string): string
  prepare(...calls: [name: string, args: unknown][]): Promise<ReadCall[]>
  /** Prepares one call that must touch the world. */
  call(name: string, args: unknown): Promise<PreparedCall>
  /** Prepares and runs one call; for an invalid call returns the reason. */
  run(name: string, args: unknown): Promise<CallResult>
}

export async function toolRig(
  options: {
    disk?: Disk
    root?: string
    /** A store that the test closes, for tests with many rigs. */
    store?: WholeStore
    language?: 'ja' | 'en'
    searchFilter?: (path: string) => boolean
    wrap?: (operations: ToolOperations) => ToolOperations
    web?: WebReader | null
    explorer?: Explorer | null
    servers?: ServerTools | null
  } = {},
): Promise<ToolRig> {
  const { shellCheck, words } = await toolParts()
  const disk = options.disk
  const documents = documentRig({
    ...(disk === undefined ? {} : { disk }),
    ...(options.root === undefined ? {} : { root: options.root }),
    ...(options.store === undefined ? {} : { store: options.store }),
  })
  const { root } = documents
  const { store } = documents
  const { changeSets } = changeSetRig(tempFolder(), { store, ...(disk === undefined ? {} : { disk }) })
  const commands: ToolRig['commands'] = []
  const rig = { outcome: exited('') }
  const runner: WorkspaceCommands = {
    async execute(command) {
      commands.push(command)
      return rig.outcome
    },
    askedRun: async () => null,
    commandOutput: (id) =>
      id === 'known' ? { output: 'out', nextBytes: 3, isRunning: true, exitCode: null } : null,
    stopCommand: async (id) => id === 'known',
  }
  const added: string[] = []
  const operationsIn = (at: string): ToolOperations =>
    createWorkspaceOperations({
      root: at,
      disk: at === root ? (disk ?? nodeDisk) : fixedFolder(disk ?? nodeDisk, at),
      documents: documents.service,
      changeSets,
      commands: runner,
    })
  const own = { root, operations: operationsIn(root) }
  const real = createSeveralFolders({ own, added: () => added, operationsIn })
  const operations = options.wrap?.(real) ?? real
  const ledger = new ReadLedger()
  const { searchFilter } = options
  const toolbox = createToolbox({
    operations,
    shellCheck,
    words: words[options.language ?? 'en'],
    ledger,
    addedFolders: () => added,
    web: () => (options.web === undefined ? noPages : options.web),
    explorer: () => (options.explorer === undefined ? noExplorer : options.explorer),
    servers: () => (options.servers === undefined ? anyServer : options.servers),
    ...(searchFilter === undefined ? {} : { searchFilter: async () => searchFilter }),
  })
  let count = 0
  const prepare: ToolRig['prepare'] = (...calls) =>
    toolbox.prepare(
      calls.map(([name, args]) => ({ callId: `c${++count}`, name, args: JSON.stringify(args) })),
    )
  const call: ToolRig['call'] = async (name, args) => {
    const [read] = await prepare([name, args])
    if (read?.kind !== 'world') throw new Error(read?.kind === 'invalid' ? read.reason : 'no world call')
    return read.call
  }
  return Object.assign(rig, {
    root,
    added,
    toolbox,
    operations,
    ledger,
    documents,
    changeSets,
    commands,
    write(path: string, content: string | Uint8Array) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    },
    bytes: (path: string) => readFileSync(join(root, path)),
    text: (path: string) => readFileSync(join(root, path), 'utf8'),
    prepare,
    call,
    async run(name: string, args: unknown): Promise<CallResult> {
      const [read] = await prepare([name, args])
      if (read?.kind === 'world') return runCall(read.call)
      const text = read?.kind === 'invalid' ? read.reason : ''
      return { isOk: read?.kind === 'session', text, view: { kind: 'text' } }
    },
  })
}

export function runCall(call: PreparedCall, signal = new AbortController().signal): Promise<CallResult> {
  return call.run({ onOutput: () => undefined, signal })
}

export function exited(output: string, exitCode = 0): CommandOutcome {
  const totalBytes = Buffer.byteLength(output)
  return {
    commandId: 'cmd',
    end: 'exited',
    exitCode,
    signal: null,
    output,
    totalBytes,
    isCut: false,
    durationMs: 1,
  }
}
