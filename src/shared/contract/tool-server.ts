import { z } from 'zod'
import { ServerKey, ToolServer, ToolServerStatus } from '../domain/app/tool-server.ts'
import { call, stream } from './method.ts'

/** The MCP servers that the settings name. */
export const toolServerContract = {
  /** All of them as they are now, and after each change. */
  'toolServer.watch': stream(z.object({}), z.object({ servers: z.array(ToolServerStatus) })),
  /** Starts a server that is on, or starts it anew. What goes wrong stands in its status. */
  'toolServer.start': call(z.object({ name: z.string() }), z.object({})),
  /** Keeps what a key of a server holds in the secret store. Errors: `secret/store-locked`. */
  'toolServer.setKey': call(
    z.object({ name: ToolServer.shape.name, key: ServerKey, value: z.string().min(1).max(8_000) }),
    z.object({}),
  ),
}
