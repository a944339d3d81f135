import { homedir } from 'node:os'
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ToolServer } from '../../shared/domain/app/tool-server.ts'
import { AppError, type ErrorInfo } from '../../shared/errors.ts'
import { jsonText } from '../../shared/text/json.ts'
import { problemOf } from './server-failure.ts'
import { createServerLimits, noSchemas } from './server-limits.ts'

/** A tool as its server describes it. Shape: `inputSchema` is a JSON schema of an object. */
export type ServerTool = { name: string; description: string; inputSchema: Record<string, unknown> }

export type ServerResult = { isOk: boolean; text: string }

/** A running server. `ended` resolves when it ends in any way: with the reason, or null where nothing tells it. */
export type ServerConnection = {
  tools: ServerTool[]
  /** Errors: those of the transport or the server; the signal's reason. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ServerResult>
  ended: Promise<ErrorInfo | null>
  close(): Promise<void>
}

/** Environment and secrets of a server. Shape: `keys` by name: variables of a program, headers of an address. */
export type ServerSecrets = {
  environment(): Promise<Record<string, string>>
  keys(): Promise<Record<string, string>>
}

/** Units: ms; pages of the list of tools; tools; characters. */
const limits = { startMs: 20_000, callMs: 120_000, pages: 20, tools: 1_000, stderr: 4_000 } as const

/** Starts or reaches a server and asks it for its tools. Errors: `mcp/…`; those of the SDK or the system. */
export async function connectServer(
  { transport: place, folder = homedir() }: ToolServer,
  { environment, keys }: ServerSecrets,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const client = new Client({ name: 'tsugi', version: '1' }, { jsonSchemaValidator: noSchemas })
  let said = ''
  let excess: ErrorInfo | null = null
  const hears = (text: string): void => {
    said = (said + text).slice(-limits.stderr)
  }
  const held = createServerLimits((why) => {
    excess = why
  })
  const transport = await transportOf(place, folder, { environment, keys }, hears, held.fetch)
  held.hold(transport)
  const close = async (): Promise<void> => {
    await client.close()
    held.release()
  }
  /** Why the server ended; null where nothing tells it. */
  const reason = (): ErrorInfo | null => {
    // Without the lines of a stack trace.
    const words = said.replace(/^\s+at .*\n?/gm, '').trim()
    return excess ?? (words === '' ? null : problemOf(words))
  }
  const { promise: ended, resolve: end } = Promise.withResolvers<ErrorInfo | null>()
  client.onclose = () => end(reason())
  const options = { signal, timeout: limits.startMs }
  try {
    await client.connect(transport, options)
    const tools: ServerTool[] = []
    let cursor: string | undefined
    for (let page = 0; page < limits.pages; page++) {
      const found = await client.listTools(cursor === undefined ? {} : { cursor }, options)
      tools.push(
        ...found.tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema })),
      )
      cursor = found.nextCursor
      if (cursor === undefined || tools.length >= limits.tools) break
    }
    return {
      tools,
      ended,
      async call(tool, args, stop) {
        const answer = await client.callTool({ name: tool, arguments: args }, undefined, {
          signal: stop,
          timeout: limits.callMs,
        })
        return resultOf(answer)
      },
      close,
    }
  } catch (error) {
    await close()
    const why = reason()
    throw why === null ? error : new AppError(why, { cause: error })
  }
}

async function transportOf(
  place: ToolServer['transport'],
  cwd: string,
  { environment, keys }: ServerSecrets,
  hears: (text: string) => void,
  fetch: FetchLike,
): Promise<Transport> {
  if (place.kind === 'http') {
    const { StreamableHTTPClientTransport } = await import(
      '@modelcontextprotocol/sdk/client/streamableHttp.js'
    )
    const requestInit = { headers: await keys() }
    return new StreamableHTTPClientTransport(new URL(place.address), { requestInit, fetch }) as Transport
  }
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
  const { command, args } = place
  const env = { ...(await environment()), ...(await keys()) }
  const transport = new StdioClientTransport({ command, args, env, cwd, stderr: 'pipe' })
  const pieces = new TextDecoder()
  transport.stderr?.on('data', (chunk: Buffer) => hears(pieces.decode(chunk, { stream: true })))
  return transport
}

/** Returns the text of a result; other parts are only named. */
function resultOf(answer: Record<string, unknown>): ServerResult {
  const content = Array.isArray(answer.content) ? (answer.content as Record<string, unknown>[]) : []
  const parts = content.map((part) => {
    if (part.type === 'text') return String(part.text)
    const resource = part.resource as { text?: unknown; uri?: unknown } | undefined
    if (typeof resource?.text === 'string') return resource.text
    return `[${String(part.type)}${typeof part.mimeType === 'string' ? ` ${part.mimeType}` : ''}]`
  })
  const structured = answer.structuredContent
  if (parts.length === 0 && structured !== undefined) parts.push(jsonText(structured) ?? '[json]')
  return { isOk: answer.isError !== true, text: parts.join('\n') }
}
