import { z } from 'zod'
import { ProposedServer, ServerKey, ToolServer, ToolServerStatus } from '../domain/app/tool-server.ts'
import { call, stream } from './method.ts'

/** The MCP servers that the settings name. */
export const toolServerContract = {
  /** Sends the status of all servers, now and after each change. */
  'toolServer.watch': stream(z.object({}), z.object({ servers: z.array(ToolServerStatus) })),
  /**
   * Returns the servers that the folder's `.mcp.json` proposes and the user has neither added nor dismissed; none
   * without trust. Starts nothing. `problems` are entries that no server can be made of.
   */
  'toolServer.proposed': call(
    z.object({ workId: z.string() }),
    z.object({ servers: z.array(ProposedServer), problems: z.array(z.string()), isReadable: z.boolean() }),
  ),
  /** Starts a server that is on, or restarts it. Failures are in its status. */
  'toolServer.start': call(z.object({ name: z.string() }), z.object({})),
  /** Stores the value of a server's key in the secret store. Errors: `secret/store-locked`. */
  'toolServer.setKey': call(
    z.object({ name: ToolServer.shape.name, key: ServerKey, value: z.string().min(1).max(8_000) }),
    z.object({}),
  ),
}
