import type { ProposedServer, ToolServer, ToolServerStatus } from '../../../shared/domain/app/tool-server.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

export type ToolServersSlice = {
  /** As the host sees the servers that the settings name. */
  servers: readonly ToolServerStatus[]
  /** Follows them until the returned function is called. */
  watch(): () => void
  /** Stores the secrets of the server before it is added. False where that failed, and nothing was added. */
  add(server: ToolServer, secrets: Readonly<Record<string, string>>): Promise<boolean>
  /** What the open folder proposes, as it was last looked for. */
  proposed: { servers: readonly ProposedServer[]; problems: readonly string[]; isReadable: boolean }
  findProposed(): Promise<void>
  /** Dismisses a proposal, which is not shown any more. */
  dismiss(proposed: ProposedServer): Promise<void>
  remove(name: string): Promise<void>
  /** Switches one on or off. */
  use(name: string, isOn: boolean): Promise<void>
  start(name: string): Promise<void>
}

/** MCP servers: the settings hold them, the host tells how they are. */
export function createToolServersSlice({ client, get, patch, follow }: SliceContext): ToolServersSlice {
  const save = (change: (added: ToolServer[]) => ToolServer[]): Promise<void> =>
    get().settings.update(({ toolServers }) => ({ toolServers: change(toolServers) }))
  return {
    servers: [],
    watch: () =>
      follow(
        (signal) => client['toolServer.watch']({}, { signal }),
        ({ servers }) => patch('toolServers', { servers }),
        (error) => get().ui.toastError(infoOf(error)),
      ),
    proposed: { servers: [], problems: [], isReadable: true },
    async findProposed() {
      const workId = get().work.current?.workId
      if (workId === undefined) return
      try {
        const proposed = await client['toolServer.proposed']({ workId })
        if (get().work.current?.workId === workId) patch('toolServers', { proposed })
      } catch (error) {
        get().ui.toastError(infoOf(error))
      }
    },
    async dismiss({ hash }) {
      await get().workSettings.update(({ dismissedServers }) => ({
        dismissedServers: [...dismissedServers, hash].slice(-100),
      }))
      await get().toolServers.findProposed()
    },
    async add(server, secrets) {
      const { name } = server
      try {
        for (const [key, value] of Object.entries(secrets))
          await client['toolServer.setKey']({ name, key, value })
      } catch (error) {
        get().ui.toastError(infoOf(error))
        return false
      }
      await save((added) => [...added.filter((one) => one.name !== name), server])
      return true
    },
    async remove(name) {
      await save((added) => added.filter((one) => one.name !== name))
      await get().toolServers.findProposed()
    },
    use: (name, isOn) => save((added) => added.map((one) => (one.name === name ? { ...one, isOn } : one))),
    async start(name) {
      try {
        await client['toolServer.start']({ name })
      } catch (error) {
        get().ui.toastError(infoOf(error))
      }
    },
  }
}
