import type { ToolServer, ToolServerStatus } from '../../shared/domain/app/tool-server.ts'
import type { ErrorInfo } from '../../shared/errors.ts'
import type { Log, SecretStore } from '../deps.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import type { DeclaredTool } from '../tools/prepared-call.ts'
import type { ListedTool, OfferedTool } from './listed-tools.ts'
import type { ServerConnection, ServerResult } from './server-connection.ts'
import { lastWords, problemOf, ServerFailure } from './server-failure.ts'

/** The tools of the added servers for one session. */
export type ServerTools = {
  /** Starts servers that were not started yet, without waiting. Returns the names of those that are still starting. */
  begin(): string[]
  /** The tools as their servers listed them when first reached; only `declared` follows later lists. */
  offered(): readonly OfferedTool[]
  /**
   * Calls a tool as it was declared. A server that has ended is restarted once before the call, never during it.
   *
   * Errors: `ServerFailure`; the signal's reason.
   */
  call(tool: OfferedTool, args: Record<string, unknown>, signal: AbortSignal): Promise<ServerResult>
}

export type ToolServers = ReturnType<typeof createToolServers>

type Held = {
  server: ToolServer
  state: ToolServerStatus['state']
  tools: ListedTool[]
  /** The declarations of the tools that the server listed last, by name. */
  declared: ReadonlyMap<string, DeclaredTool>
  leftOut: number
  problem: ErrorInfo | null
  connection: ServerConnection | null
  starting: Promise<void> | null
  /** The server ended by itself, and has answered no call since it was restarted. */
  hasEndedAgain: boolean
}

const notDeclared: DeclaredTool = { fingerprint: '', description: '' }

/** The MCP servers that the settings name, each started when a session first needs it. */
export function createToolServers(deps: {
  log: Log
  settings: { get(): { toolServers: ToolServer[] }; watch(signal: AbortSignal): AsyncIterable<unknown> }
  /** The environment of the user's login shell. */
  environment(): Promise<Record<string, string>>
  secrets: Pick<SecretStore, 'get' | 'set' | 'remove'>
}) {
  const held = new Map<string, Held>()
  const changes = createBroadcast<void>()
  const end = new AbortController()

  /** Applies the settings: ends servers that were removed, changed or switched off. */
  function sync(): void {
    const wanted = deps.settings.get().toolServers
    const isSame =
      wanted.length === held.size && wanted.every((server) => held.get(server.name)?.server === server)
    if (isSame) return
    for (const [name, one] of held) {
      const same = wanted.find((server) => JSON.stringify(server) === JSON.stringify(one.server))
      if (same !== undefined) {
        one.server = same
        continue
      }
      held.delete(name)
      closeOf(one)
      const kept = wanted.find((server) => server.name === name)?.keys ?? []
      forgetKeys(one.server, kept)
    }
    for (const server of wanted) if (!held.has(server.name)) held.set(server.name, newHeld(server))
    changes.send()
  }

  /** Returns the values of a server's keys; leaves out keys without a stored value. */
  async function keysOf({ name, keys = [] }: ToolServer): Promise<Record<string, string>> {
    const held: Record<string, string> = {}
    for (const key of keys) {
      const value = await deps.secrets.get(secretName(name, key))
      if (value !== undefined) held[key] = value
    }
    return held
  }

  function forgetKeys({ name, keys = [] }: ToolServer, kept: readonly string[]): void {
    for (const key of keys.filter((each) => !kept.includes(each)))
      deps.secrets
        .remove(secretName(name, key))
        .catch((error: unknown) => deps.log.bug(error, 'mcp.forget-key'))
  }

  function closeOf(one: Held): void {
    const { connection } = one
    one.connection = null
    connection?.close().catch((error: unknown) => deps.log.bug(error, 'mcp.close'))
  }

  async function connect(one: Held): Promise<void> {
    one.state = 'starting'
    changes.send()
    try {
      const { connectServer } = await import('./server-connection.ts')
      const { declaredOf, offeredOf } = await import('./listed-tools.ts')
      const { environment } = deps
      const keys = () => keysOf(one.server)
      const connection = await connectServer(one.server, { environment, keys }, end.signal)
      if (held.get(one.server.name) !== one || end.signal.aborted) return await connection.close()
      one.connection = connection
      one.declared = declaredOf(one.server, connection.tools)
      one.state = 'ready'
      one.problem = null
      if (one.tools.length === 0) Object.assign(one, offeredOf(one.server, connection.tools))
      void connection.ended.then((why) => heardEnd(one, connection, why))
    } catch (error) {
      closeOf(one)
      one.state = 'failed'
      one.problem = problemOf(error)
    } finally {
      changes.send()
    }
  }

  function heardEnd(one: Held, connection: ServerConnection | null, why: ErrorInfo | null): void {
    if (one.connection !== connection) return
    one.connection = null
    one.state = 'ended'
    one.problem = why
    changes.send()
  }

  async function start(one: Held): Promise<void> {
    if (one.connection !== null) return
    one.starting ??= connect(one).finally(() => {
      one.starting = null
    })
    await one.starting
  }

  const on = (root: string): Held[] =>
    [...held.values()].filter(({ server: { isOn, folder = root } }) => isOn && folder === root)

  sync()
  const following = (async () => {
    for await (const _ of deps.settings.watch(end.signal)) sync()
  })()
  following.catch((error: unknown) => deps.log.bug(error, 'mcp.settings'))

  const within = (root: string): ServerTools => ({
    begin() {
      // The watcher may not have reported a change of the settings yet.
      sync()
      for (const one of on(root).filter(({ state }) => state === 'idle'))
        start(one).catch((error: unknown) => deps.log.bug(error, 'mcp.start'))
      return on(root).flatMap(({ state, server }) => (state === 'starting' ? server.name : []))
    },
    offered: () =>
      on(root).flatMap(({ tools, declared }) =>
        tools.map((tool) => ({ ...tool, declared: declared.get(tool.name) ?? notDeclared })),
      ),
    async call(tool, args, signal) {
      const one = on(root).find(({ server }) => server.name === tool.server)
      if (one === undefined) throw new ServerFailure('down')
      if (one.connection === null && (one.state === 'starting' || !one.hasEndedAgain)) {
        one.hasEndedAgain = one.state === 'ended' || one.hasEndedAgain
        await start(one)
      }
      const { connection } = one
      if (connection === null) throw new ServerFailure('down', one.problem)
      if (one.declared.get(tool.name)?.fingerprint !== tool.declared.fingerprint)
        throw new ServerFailure('changed')
      try {
        const result = await connection.call(tool.name, args, signal)
        one.hasEndedAgain = false
        return result
      } catch (error) {
        signal.throwIfAborted()
        if (one.connection !== connection) throw new ServerFailure('during', one.problem)
        if (isForgotten(error)) {
          closeOf(one)
          heardEnd(one, null, problemOf(error))
          throw new ServerFailure('forgotten', one.problem)
        }
        return { isOk: false, text: lastWords(error) }
      }
    },
  })

  return {
    /** The servers for a session in this folder: those for every folder, and those added for this one. */
    within,
    async *watch(signal: AbortSignal): AsyncGenerator<{ servers: ToolServerStatus[] }, void, void> {
      const next = changes.subscribe(signal)
      yield { servers: statuses() }
      for await (const _ of next) yield { servers: statuses() }
    },
    async start(name: string): Promise<void> {
      sync()
      const one = held.get(name)
      if (one === undefined || !one.server.isOn) return
      one.hasEndedAgain = false
      await start(one)
    },
    /** Stores the value of a server's key; a running server gets it at its next start. Errors: `secret/store-locked`. */
    setKey: (name: string, key: string, value: string): Promise<void> =>
      deps.secrets.set(secretName(name, key), value),
    close(): void {
      end.abort()
      changes.end()
      for (const one of held.values()) closeOf(one)
    },
  }

  function statuses(): ToolServerStatus[] {
    return [...held.values()].map(({ server, state, tools, leftOut, problem }) => ({
      name: server.name,
      state: server.isOn ? state : 'off',
      tools: tools.map(({ name }) => name),
      leftOut,
      problem,
    }))
  }
}

function secretName(server: string, key: string): string {
  return `mcp:${server}:${key}`
}

function newHeld(server: ToolServer): Held {
  const nothing = {
    tools: [],
    declared: new Map(),
    leftOut: 0,
    problem: null,
    connection: null,
    starting: null,
  }
  return { server, state: 'idle', hasEndedAgain: false, ...nothing }
}

/**
 * True where a server at an address answers that it does not know the session, since it was started anew; it has not
 * looked at the message then. The specification wants 404; servers made after the SDK's examples answer 400 with a
 * sentence about the session.
 *
 * Source: MCP, Streamable HTTP, Session Management; the server `everything` of the protocol's authors.
 */
function isForgotten(error: unknown): boolean {
  // A server's own errors have codes, too, of any number.
  if (!(error instanceof Error) || error.name === 'McpError' || !('code' in error)) return false
  return error.code === 404 || (error.code === 400 && /\bsession\b/i.test(error.message))
}
