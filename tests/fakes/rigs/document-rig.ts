import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/main/deps.ts'
import { createDocumentService, type DocumentService } from '../../../src/main/documents/document-service.ts'
import { createLocalHistory } from '../../../src/main/documents/local-history.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { type Disk, nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { createFileWatcher, type FileWatcher } from '../../../src/main/platform/files/file-watcher.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import type { DocumentEvent, DocumentSnapshot } from '../../../src/shared/domain/work/document.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { openTestStore, type WholeStore } from '../disks/test-store.ts'
import { eventually } from '../eventually.ts'
import { silentLog } from '../silent-log.ts'

/** One window's view of a document: its snapshot, and each event as it comes. */
export type WatchedDocument = {
  first: DocumentEvent
  snapshot: DocumentSnapshot
  events: DocumentEvent[]
  /** Waits for an event of this kind at or after the index `from`, and returns it. */
  until<K extends DocumentEvent['kind']>(kind: K, from?: number): Promise<Extract<DocumentEvent, { kind: K }>>
  stop(): Promise<void>
}

/** A document service over a real folder and a real store. */
export type DocumentRig = {
  root: string
  store: WholeStore
  service: DocumentService
  write(name: string, content: string | Uint8Array): string
  watch(path: string, afterVersion?: number): Promise<WatchedDocument>
}

export type DocumentRigOptions = {
  disk?: Disk
  root?: string
  dataDir?: string
  /** A store that the test closes; without one, a store in `dataDir`. */
  store?: WholeStore
  clock?: Clock
  watcher?: FileWatcher
}

export function documentRig(options: DocumentRigOptions = {}): DocumentRig {
  const root = options.root ?? tempFolder()
  const store = options.store ?? openTestStore(join(options.dataDir ?? tempFolder(), 'tsugi.db'))
  const disk = options.disk ?? nodeDisk
  const clock = options.clock ?? systemClock
  const watcher = options.watcher ?? createFileWatcher({ clock, disk, log: silentLog })
  const history = createLocalHistory({ clock, repository: store.history })
  const service = createDocumentService({
    clock,
    random: systemRandom,
    log: silentLog,
    disk,
    hostId: 'a'.repeat(32),
    watcher,
    history,
    unsaved: store.unsaved,
  })
  onTestFinished(async () => {
    await service.close()
    watcher.close()
    if (options.store === undefined) store.close()
  })
  return {
    root,
    store,
    service,
    write(name, content) {
      const path = join(root, name)
      writeFileSync(path, content)
      return path
    },
    watch: (path, afterVersion) => follow(service, root, path, afterVersion),
  }
}

async function follow(
  service: DocumentService,
  root: string,
  path: string,
  afterVersion?: number,
): Promise<WatchedDocument> {
  const stop = new AbortController()
  const stream = service.watch({ root, path, afterVersion }, stop.signal)
  const first = await stream.next()
  if (first.done) throw new Error('the watch ended at once')
  const events: DocumentEvent[] = [first.value]
  const reading = (async () => {
    for await (const event of stream) events.push(event)
  })()
  const opened = first.value.kind === 'snapshot' ? first.value.snapshot : undefined
  return {
    first: first.value,
    get snapshot() {
      if (opened === undefined) throw new Error('this watch began without a snapshot')
      return opened
    },
    events,
    until: (kind, from = 0) =>
      eventually(() => {
        const found = events.slice(from).find((event) => event.kind === kind)
        if (found === undefined) throw new Error(`no ${kind} among ${events.map((e) => e.kind).join()}`)
        return found as never
      }),
    async stop() {
      stop.abort()
      await reading
    },
  }
}
