import type { HostInfo } from '../../../shared/domain/app/host-info.ts'
import { AppError, type ErrorInfo } from '../../../shared/errors.ts'
import { nameIn, shortList } from '../../../shared/text/paths/shown-paths.ts'
import type { Connection } from '../connection.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

export function createConnectionSlice(context: SliceContext, connection: Connection) {
  const { client, get, patch, follow, tabMemory } = context
  let stopHost: (() => void) | undefined

  /** Opens what the start asked for, once in each window: a reload comes back to where the author went since. */
  async function openFirst({ hostId, openPath }: HostInfo): Promise<void> {
    const request = `${hostId} ${openPath}`
    if (openPath === null || tabMemory.read('request') === request) await get().work.openLast()
    else await get().work.open(openPath)
    const { error } = get().work
    if (error?.code === 'rpc/closed') throw new AppError(error)
    if (openPath !== null) tabMemory.write('request', request)
  }

  return {
    status: connection.state(),
    host: null as HostInfo | null,
    /** True once it is known whether this window begins with a work: it was opened, was refused, or there is none. */
    isStarted: false,
    isHostClosing: false,
    /** The last command of the desktop's menu; `count` distinguishes two of the same. */
    hostCommand: null as { id: string; count: number } | null,
    /** A new link was given and has not let this window in yet. */
    isLinkTried: false,
    isRestored: false,
    restoreError: null as ErrorInfo | null,

    /** Goes to the start page while the work that the window begins with is still being opened. */
    startWithout() {
      get().work.giveUpOpening()
      patch('connection', { isStarted: true })
    },

    retry: () => connection.retry(),

    linkTried: () => patch('connection', { isLinkTried: true }),

    async restoreBackup(name: string) {
      patch('connection', { restoreError: null })
      try {
        await client['host.restoreBackup']({ name })
      } catch (error) {
        patch('connection', { restoreError: infoOf(error) })
      }
    },

    /** Handles every opening of the connection, the first one too. */
    async opened() {
      const isFirst = !get().connection.isStarted
      patch('connection', { isLinkTried: false })
      try {
        const host = await client['host.info']({ language: navigator.language })
        patch('connection', { host, isHostClosing: false })
        stopHost?.()
        stopHost = follow(
          (signal) => client['host.watch']({}, { signal }),
          (event) => {
            if (event.type === 'closing') patch('connection', { isHostClosing: true })
            if (event.type === 'restored') patch('connection', { isRestored: true })
            if (event.type === 'command') {
              const count = (get().connection.hostCommand?.count ?? 0) + 1
              patch('connection', { hostCommand: { id: event.id, count } })
            }
            if (event.type === 'open-path') void get().work.open(event.path)
            if (event.type === 'damaged-rows') get().ui.toast({ key: 'toast.damagedRows' })
            if (event.type === 'recovered' && event.documents.length > 0)
              get().ui.toast({ key: 'toast.recovered', values: { count: event.documents.length } })
            if (event.type === 'files-left') {
              const { root, paths, count } = event
              const names = paths.map((path) => nameIn(get().work.current?.root, { root, path }))
              const values = { count, paths: shortList(names, count) }
              get().ui.toast({ key: 'toast.filesLeft', values }, undefined, true)
            }
          },
        )
        if (host.damage !== null) return
        await Promise.all([get().models.load(), get().work.loadRecent()])
        if (!isFirst) await get().work.reopen()
        else await openFirst(host)
        patch('connection', { isStarted: true })
      } catch (error) {
        const info = infoOf(error)
        // Nothing is known without the connection; the next one begins anew.
        if (info.code === 'rpc/closed') return
        patch('connection', { isStarted: true })
        get().ui.toastError(info)
      }
    },
  }
}
