import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type ProposedServer, ServerKey, ToolServer } from '../../shared/domain/app/tool-server.ts'
import { onAppError } from '../../shared/errors.ts'
import { parseJson } from '../../shared/text/json.ts'
import { withoutEnd } from '../../shared/text/without-end.ts'
import type { TrustService } from '../gates/trust-service.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import type { WorkSettingsService } from '../settings/work-settings-service.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'

/** The file of a folder that proposes MCP servers to those who work in it. */
const proposalFile = '.mcp.json'

/** Units: bytes. */
const limitProposalBytes = 200_000

/** Maximum number of servers in one file. */
const limitServers = 20

const Entry = z.object({
  command: z.string().optional(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  url: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
})
const File = z.object({ mcpServers: z.record(z.string(), z.unknown()) })

type ProposedServers = { servers: ProposedServer[]; problems: string[]; isReadable: boolean }

export type ServerProposals = ReturnType<typeof createServerProposals>

/** The MCP servers that folders propose; none is used before the user accepts it. */
export function createServerProposals(deps: {
  rootOf(workId: string): string
  trust: Pick<TrustService, 'get'>
  settings: Pick<SettingsService, 'get'>
  workSettings: Pick<WorkSettingsService, 'get'>
  operationsIn(root: string): Pick<ToolOperations, 'read'>
  decode(bytes: Uint8Array, path: string): string
}) {
  const textIn = (root: string): Promise<string | null> =>
    deps
      .operationsIn(root)
      .read(proposalFile, limitProposalBytes)
      .then(({ bytes }) => deps.decode(bytes, proposalFile))
      .catch(onAppError(null))

  /** Returns the servers of a folder's file; none while the folder is not trusted. */
  async function of(workId: string): Promise<ProposedServers> {
    const root = deps.rootOf(workId)
    const nothing = { servers: [], problems: [], isReadable: true }
    const text = deps.trust.get(root).isTrusted ? await textIn(root) : null
    if (text === null) return nothing
    const read = readProposals(text, root, deps.settings.get().toolServers)
    if (read === null) return { ...nothing, isReadable: false }
    const { dismissedServers } = deps.workSettings.get(workId)
    const servers = read.servers.filter(({ hash }) => !dismissedServers.includes(hash))
    return { ...read, servers, isReadable: true }
  }

  return {
    of,
    names: async (workId: string): Promise<string[]> =>
      (await of(workId)).servers.map(({ server }) => server.name),
  }
}

/**
 * Reads the servers that a folder's file proposes; starts none of them.
 *
 * Shape: `problems` are the names of invalid entries; null where the file is not JSON of this kind. `folder` is the
 * real path of the folder, the only one in which the servers are used.
 */
export function readProposals(
  text: string,
  folder: string,
  added: readonly ToolServer[],
): { servers: ProposedServer[]; problems: string[] } | null {
  const file = File.safeParse(parseJson(text)).data
  if (file === undefined) return null
  const servers: ProposedServer[] = []
  const problems: string[] = []
  for (const [name, entry] of Object.entries(file.mcpServers).slice(0, limitServers)) {
    const known = [...added, ...servers.map(({ server }) => server)]
    const proposed = proposalOf(name, entry, folder, known)
    if (proposed === null) problems.push(name)
    else if (!isAdded(proposed.server, added)) servers.push(proposed)
  }
  return { servers, problems }
}

function proposalOf(
  name: string,
  written: unknown,
  folder: string,
  known: readonly ToolServer[],
): ProposedServer | null {
  const entry = Entry.safeParse(written).data
  if (entry === undefined) return null
  const { command, args, url } = entry
  const named = command === undefined ? entry.headers : entry.env
  const plain = Object.entries(named).filter(
    ([key, value]) => isPlain(value) && ServerKey.safeParse(key).success,
  )
  // A variable that is only passed on is already in the environment of programs.
  const missing = Object.entries(named).filter(
    ([key, value]) => !isPlain(value) && (command === undefined || value !== `\${${key}}`),
  )
  const transport = command === undefined ? { kind: 'http', address: url } : { kind: 'stdio', command, args }
  const keys = plain.map(([key]) => key)
  const same = known.find((one) => one.folder === folder && one.name === baseName(name))
  const server = ToolServer.safeParse({
    name: same?.name ?? freeName(baseName(name), known),
    isOn: true,
    transport,
    folder,
    ...(keys.length > 0 && { keys }),
  }).data
  if (server === undefined) return null
  const values = Object.fromEntries(plain)
  const hash = createHash('sha256')
    .update(JSON.stringify([server, values]))
    .digest('hex')
  return { server, values, missing: missing.map(([key]) => key), isChanged: same !== undefined, hash }
}

/** True for a literal value: the content of a variable is not known here. */
function isPlain(value: string): boolean {
  return value !== '' && !value.includes('${')
}

function isAdded(server: ToolServer, added: readonly ToolServer[]): boolean {
  const parts = ({ name, transport, folder, keys = [] }: ToolServer): string =>
    JSON.stringify([name, transport, folder, keys])
  return added.some((one) => parts(one) === parts(server))
}

function baseName(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return withoutEnd(plain.replace(/^-+/, '').slice(0, 20), '-') || 'server'
}

function freeName(name: string, known: readonly ToolServer[]): string {
  const isFree = (wanted: string): boolean => known.every((one) => one.name !== wanted)
  let free = name
  for (let at = 2; !isFree(free); at++) free = `${name}-${at}`
  return free
}
