import { homedir } from 'node:os'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ToolServer } from '../../shared/domain/app/tool-server.ts'
import { jsonText } from '../../shared/text/json.ts'
import { holdToLimits, limitedFetch, noSchemas } from './server-limits.ts'

/** A tool as its server describes it. Shape: `inputSchema` is a JSON schema of an object. */
export type ServerTool = { name: string; description: string; inputSchema: Record<string, unknown> }

export type ServerResult = { isOk: boolean; text: string }

/** A running server. `ended` resolves with the server's last output when it ends in any way. */
export type ServerConnection = {
  tools: ServerTool[]
  /** Errors: those of the transport or the server; the signal's reason. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ServerResult>
  ended: Promise<string>
  close(): Promise<void>
}

/** Environment and secrets of a server. Shape: `keys` by name: variables of a program, headers of an address. */
export type ServerSecrets = {
  environment(): Promise<Record<string, string>>
  keys(): Promise<Record<string, string>>
}

/** Units: ms; pages of the list of tools; tools; characters. */
const limits = { startMs: 20_000, callMs: 120_000, pages: 20, tools: 1_000, stderr: 4_000 } as const

/** Starts or reaches a server and asks it for its tools. Errors: those of the server or the system. */
export async function connectServer(
  { transport: place, folder = homedir() }: ToolServer,
  { environment, keys }: ServerSecrets,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const client = new Client({ name: 'tsugi', version: '1' }, { jsonSchemaValidator: noSchemas })
  let said = ''
  const transport = await transportOf(place, folder, { environment, keys }, (text) => {
    said = (said + text).slice(-limits.stderr)
  })
  const release = holdToLimits(transport, (why) => {
    said = why
  })
  const close = async (): Promise<void> => {
    await client.close()
    release()
  }
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  client.onclose = () => end(withoutStack(said))
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
    const text = withoutStack(said)
    throw text === '' ? error : new Error(text, { cause: error })
  }
}

async function transportOf(
  place: ToolServer['transport'],
  cwd: string,
  { environment, keys }: ServerSecrets,
  heard: (text: string) => void,
): Promise<Transport> {
  if (place.kind === 'http') {
    const { StreamableHTTPClientTransport } = await import(
      '@modelcontextprotocol/sdk/client/streamableHttp.js'
    )
    const requestInit = { headers: await keys() }
    return new StreamableHTTPClientTransport(new URL(place.address), {
      requestInit,
      fetch: limitedFetch(),
    }) as Transport
  }
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
  const { command, args } = place
  const env = { ...(await environment()), ...(await keys()) }
  const transport = new StdioClientTransport({ command, args, env, cwd, stderr: 'pipe' })
  const pieces = new TextDecoder()
  transport.stderr?.on('data', (chunk: Buffer) => heard(pieces.decode(chunk, { stream: true })))
  return transport
}

/** The last error output of a program that ended, without the lines of its stack trace. */
function withoutStack(said: string): string {
  return said.replace(/^\s+at .*\n?/gm, '').trim()
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
