import type { ProposedServer, ToolServer, ToolServerStatus } from '../../../shared/domain/app/tool-server.ts'
import type { SliceContext } from './slice.ts'

/** MCP servers: the settings hold them, the host tells how they are. */
export function createToolServersSlice({ client, get, patch, follow, tell, attempt, inWork }: SliceContext) {
  const save = (change: (added: ToolServer[]) => ToolServer[]): Promise<void> =>
    get().settings.update(({ toolServers }) => ({ toolServers: change(toolServers) }))
  return {
    /** As the host sees the servers that the settings name. */
    servers: [] as readonly ToolServerStatus[],
    /** The servers that the open folder proposes, as of the last search. */
    proposed: { servers: [], problems: [], isReadable: true } as {
      servers: readonly ProposedServer[]
      problems: readonly string[]
      isReadable: boolean
    },

    /** Follows them until the returned function is called. */
    watch: () =>
      follow(
        (signal) => client['toolServer.watch']({}, { signal }),
        ({ servers }) => patch('toolServers', { servers }),
        tell,
      ),

    async findProposed() {
      await inWork(async (workId) => {
        const proposed = await client['toolServer.proposed']({ workId })
        if (get().work.current?.workId === workId) patch('toolServers', { proposed })
      })
    },
    async dismiss({ hash }: ProposedServer) {
      await get().workSettings.update(({ dismissedServers }) => ({
        dismissedServers: [...dismissedServers, hash].slice(-100),
      }))
      await get().toolServers.findProposed()
    },
    /** Stores the secrets of the server before it is added. False where that failed, and nothing was added. */
    async add(server: ToolServer, secrets: Readonly<Record<string, string>>) {
      const { name } = server
      try {
        for (const [key, value] of Object.entries(secrets))
          await client['toolServer.setKey']({ name, key, value })
      } catch (error) {
        tell(error)
        return false
      }
      await save((added) => [...added.filter((one) => one.name !== name), server])
      return true
    },
    async remove(name: string) {
      await save((added) => added.filter((one) => one.name !== name))
      await get().toolServers.findProposed()
    },
    use: (name: string, isOn: boolean) =>
      save((added) => added.map((one) => (one.name === name ? { ...one, isOn } : one))),
    async start(name: string) {
      await attempt(() => client['toolServer.start']({ name }))
    },
  }
}
