import type { ToolServer } from '../../shared/domain/app/tool-server.ts'
import { isTooDeep, jsonText } from '../../shared/text/json.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import type { DeclaredTool } from '../tools/prepared-call.ts'
import type { ServerTool } from './server-connection.ts'

/**
 * A tool of an added server, under the name that models call.
 *
 * Shape: `declared`: the declaration that its server listed last under this name; the fingerprint covers the server's
 * program or address, too, and is empty where the server listed no such tool.
 */
export type OfferedTool = ListedTool & { declared: DeclaredTool }

export type ListedTool = ServerTool & { server: string; callName: string }

/** Units: `tools` of one server; UTF-16 units of one tool's declaration. */
const limits = { tools: 40, declaration: 6_000, description: 1_000 } as const

/**
 * Selects the tools of a server that models are offered: names and declarations must be ones that model servers accept,
 * and the first of two tools with one name is used.
 */
export function offeredOf(
  { name: server }: ToolServer,
  tools: readonly ServerTool[],
): { tools: ListedTool[]; leftOut: number } {
  const names = new Set<string>()
  const fitting = tools.flatMap(({ name, description, inputSchema }): ListedTool[] => {
    const callName = `mcp__${server}__${name}`
    const tool = {
      server,
      name,
      callName,
      description: description.slice(0, limits.description),
      inputSchema,
    }
    const declaration = jsonText(tool)
    const isFitting =
      declaration !== null &&
      /^[a-zA-Z0-9_-]{1,64}$/.test(callName) &&
      declaration.length <= limits.declaration &&
      !isTooDeep(declaration) &&
      !names.has(name)
    names.add(name)
    return isFitting ? [tool] : []
  })
  const offered = fitting.slice(0, limits.tools)
  return { tools: offered, leftOut: tools.length - offered.length }
}

/** Returns each tool's declaration by its name; the first of two tools with one name is used, as in `offeredOf`. */
export function declaredOf(
  { transport, keys, folder }: ToolServer,
  tools: readonly ServerTool[],
): Map<string, DeclaredTool> {
  const declared = new Map<string, DeclaredTool>()
  for (const { name, description, inputSchema } of tools) {
    if (declared.has(name)) continue
    const whole = jsonText([transport, keys ?? [], folder ?? '', name, description, inputSchema])
    if (whole === null) continue
    declared.set(name, {
      fingerprint: contentHash(whole),
      description: description.slice(0, limits.description),
    })
  }
  return declared
}
