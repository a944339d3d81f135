import type { ToolServer, ToolServerStatus } from '../../../shared/domain/app/tool-server.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

export type ToolServersSlice = {
  /** As the host sees the servers that the settings name. */
  servers: readonly ToolServerStatus[]
  /** Follows them until the returned function is called. */
  watch(): () => void
  /** Keeps what its key holds before the server is added. False where that failed, and nothing was added. */
  add(server: ToolServer, secret: string): Promise<boolean>
  remove(name: string): Promise<void>
  /** Switches one on or off. */
  use(name: string, isOn: boolean): Promise<void>
  start(name: string): Promise<void>
}

/** MCP servers: the settings hold them, the host tells how they are. */
export function createToolServersSlice({ client, get, patch, follow }: SliceContext): ToolServersSlice {
  const added = (): ToolServer[] => get().settings.value.toolServers
  const save = async (toolServers: ToolServer[]): Promise<void> => {
    await get().settings.update({ toolServers })
  }
  return {
    servers: [],
    watch: () =>
      follow(
        (signal) => client['toolServer.watch']({}, { signal }),
        ({ servers }) => patch('toolServers', { servers }),
        (error) => get().ui.toastError(infoOf(error)),
      ),
    async add(server, secret) {
      const [key] = server.keys ?? []
      try {
        if (key !== undefined) await client['toolServer.setKey']({ name: server.name, key, value: secret })
      } catch (error) {
        get().ui.toastError(infoOf(error))
        return false
      }
      await save([...added(), server])
      return true
    },
    remove: (name) => save(added().filter((one) => one.name !== name)),
    use: (name, isOn) => save(added().map((one) => (one.name === name ? { ...one, isOn } : one))),
    async start(name) {
      try {
        await client['toolServer.start']({ name })
      } catch (error) {
        get().ui.toastError(infoOf(error))
      }
    },
  }
}
