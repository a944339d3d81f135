import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'

/** The name of a variable of the environment, or of a header. */
export const ServerKey = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)

/**
 * An MCP server that the user added.
 *
 * Shape: `name` stands in the names of its tools, in rules and in the window. A `stdio` server is a program that
 * Tsugi starts; an `http` server is asked at its address (streamable HTTP). `keys` are names only: environment
 * variables of a program, headers of an address. Their values are in the host's secret store alone.
 */
export const ToolServer = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,23}$/),
  isOn: z.boolean(),
  transport: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('stdio'),
      command: z.string().trim().min(1).max(1_000),
      args: z.array(z.string().max(4_000)).max(50),
    }),
    z.object({ kind: z.literal('http'), address: z.url({ protocol: /^https?$/ }).max(2_000) }),
  ]),
  keys: z.array(ServerKey).max(10).optional(),
  /** The real path of the folder that proposed the server: it is used there alone. Absent: in every trusted folder. */
  folder: z.string().optional(),
})
export type ToolServer = z.infer<typeof ToolServer>

/**
 * A server that a trusted folder's `.mcp.json` proposes, as it would be added.
 *
 * Shape: `values` of its keys as the file has them; `missing` are names whose values the file leaves to the user.
 * `isChanged`: another server of this name was added from this folder before. `hash` is of all that would be added.
 */
export const ProposedServer = z.object({
  server: ToolServer,
  values: z.record(z.string(), z.string()),
  missing: z.array(z.string()),
  isChanged: z.boolean(),
  hash: z.string(),
})
export type ProposedServer = z.infer<typeof ProposedServer>

/**
 * The status of an added server.
 *
 * Shape: `idle` until a session needs it. `tools` by their own names; `leftOut` counts those that models do not get,
 * since their names or sizes do not fit. `problem` says why the server could not be started, or ended.
 */
export const ToolServerStatus = z.object({
  name: z.string(),
  state: z.enum(['off', 'idle', 'starting', 'ready', 'ended', 'failed']),
  tools: z.array(z.string()),
  leftOut: z.int().min(0),
  problem: ErrorInfo.nullable(),
})
export type ToolServerStatus = z.infer<typeof ToolServerStatus>
