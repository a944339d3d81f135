import type { HostEvent, HostInfo } from '../../shared/domain/app/host-info.ts'
import type { Deps } from '../deps.ts'
import { createBroadcast, startingWith } from '../platform/broadcast.ts'
import type { AppliedChangeSet } from '../workspace/apply-change-set.ts'
import type { AppOptions } from './running-app.ts'

export type HostState = ReturnType<typeof createHostState>

/** Describes the host to its windows and sends them its events. */
export function createHostState(deps: Deps, options: AppOptions) {
  const { log } = deps
  const events = createBroadcast<HostEvent>()
  /** Events from before the first window, which receives them. */
  const notices: HostEvent[] = []
  let { openPath } = options
  const notify = (event: HostEvent): void => {
    if (!events.send(event)) notices.push(event)
  }
  return {
    /** Sends an event to all windows, or to the first one where none is open. */
    notify,
    watch: (signal: AbortSignal) => startingWith(notices.splice(0), events.subscribe(signal)),
    info: () => hostInfo(deps, options, { openPath, damage: null }),
    /** Where no window is open, the next one opens the path. */
    handOver(path: string): void {
      openPath = path
      events.send({ type: 'open-path', path })
    },
    /** Tells what was carried out and kept of an unclean end. `noteLeft` notes change sets that left files alone. */
    async recovered(
      carriedOut: readonly AppliedChangeSet[],
      documents: string[],
      noteLeft: (changeSets: readonly AppliedChangeSet[]) => Promise<void>,
    ): Promise<void> {
      const changeSets = carriedOut.length
      if (changeSets === 0 && documents.length === 0) return
      log.write('info', 'host.recovered', { changeSets, documents: documents.length })
      notify({ type: 'recovered', documents, changeSets })
      const left = carriedOut.filter(({ conflicts }) => conflicts.length > 0)
      if (left.length > 0) await noteLeft(left)
    },
    /** Lets work go on that no window waits for; a failure is logged as a bug. */
    inBackground(works: readonly Promise<unknown>[]): void {
      for (const work of works) work.catch((error: unknown) => log.bug(error, 'host.background'))
    },
    closing: () => events.send({ type: 'closing' }),
    end: () => events.end(),
  }
}

/** Describes a host. One with a damaged database opens nothing yet, and has no dialogs and notices. */
export function hostInfo(
  { shell, hostId, dataDir, locale }: Deps,
  { version, isLocaleChosen = false }: AppOptions,
  now: Pick<HostInfo, 'openPath' | 'damage'>,
): HostInfo {
  const isWhole = now.damage === null
  return {
    version,
    kind: shell.kind,
    hostId,
    dataDir,
    locale,
    isLocaleChosen,
    hasNativePicker: isWhole && shell.pick !== undefined,
    hasNotices: isWhole && shell.notify !== undefined,
    ...now,
  }
}
