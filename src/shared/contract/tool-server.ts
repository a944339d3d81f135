import { z } from 'zod'
import { ToolServerStatus } from '../domain/app/tool-server.ts'
import { call, stream } from './method.ts'

/** The MCP servers that the settings name. */
export const toolServerContract = {
  /** All of them as they are now, and after each change. */
  'toolServer.watch': stream(z.object({}), z.object({ servers: z.array(ToolServerStatus) })),
  /** Starts a server that is on, or starts it anew. What goes wrong stands in its status. */
  'toolServer.start': call(z.object({ name: z.string() }), z.object({})),
}
