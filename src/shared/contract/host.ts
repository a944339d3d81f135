import { z } from 'zod'
import { AppSettings, AppSettingsPatch } from '../domain/app/app-settings.ts'
import { HostEvent, HostInfo, PickPurpose } from '../domain/app/host-info.ts'
import { ProposedServer, ServerKey, ToolServer, ToolServerStatus } from '../domain/app/tool-server.ts'
import { FolderListing } from '../domain/work/work.ts'
import { call, stream } from './method.ts'

export const hostContract = {
  /** `language`: the BCP 47 tag of the window's browser. A web host goes by it where nothing else says a language. */
  'host.info': call(z.object({ language: z.string().max(100).optional() }), HostInfo),
  'host.watch': stream(z.object({}), HostEvent),

  /** Whether servers' keys are encrypted at rest; may open the system's key store. Errors: `secret/store-locked`. */
  'host.keyStore': call(z.object({}), z.object({ isEncrypted: z.boolean() })),

  /** Shows a system notice; a click runs `command` in the window. Errors: `rpc/unknown-method` without them. */
  'host.notify': call(z.object({ body: z.string(), command: z.literal('gate.focus') }), z.object({})),

  /**
   * Replaces a damaged database by a backup. Its `name` is one of `host.info`'s `damage`.
   *
   * Errors: `file/not-found`; `store/damaged` for a backup that is damaged itself; `rpc/unknown-method` where the
   * database is not damaged.
   */
  'host.restoreBackup': call(z.object({ name: z.string() }), z.object({})),

  'settings.get': call(z.object({}), AppSettings),
  'settings.update': call(z.object({ patch: AppSettingsPatch }), AppSettings),
  /** The settings now, and again after each change from any window. */
  'settings.watch': stream(z.object({}), AppSettings),

  /** The app's own picker: what lies in a folder; without a path, the home folder. */
  'folder.list': call(z.object({ path: z.string().optional() }), FolderListing),
  'folder.create': call(z.object({ parent: z.string(), name: z.string() }), z.object({ path: z.string() })),
  /** Shows the system's dialog; null: nothing chosen. Errors: `rpc/unknown-method` where there is none. */
  'folder.pick': call(
    z.object({ purpose: PickPurpose, defaultPath: z.string().optional() }),
    z.object({ path: z.string().nullable() }),
  ),
  /** False where the host has no file manager. */
  'folder.reveal': call(z.object({ path: z.string() }), z.object({ isShown: z.boolean() })),
}

/** The MCP servers that the settings name. */
export const toolServerContract = {
  /** Sends the status of all servers, now and after each change. */
  'toolServer.watch': stream(z.object({}), z.object({ servers: z.array(ToolServerStatus) })),
  /** Returns new servers of a trusted folder's `.mcp.json`; starts none. `problems`: entries that are no server. */
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
