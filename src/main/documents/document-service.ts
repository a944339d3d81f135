import { ChangeSet, type ChangeSpec, Text } from '@codemirror/state'
import type {
  ChangeOrigin,
  ChangeResult,
  ChangeSetJson,
  DocumentEvent,
  DocumentSnapshot,
} from '../../shared/domain/work/document.ts'
import type { HistoryEntry } from '../../shared/domain/work/history-entry.ts'
import { AppError, isAppError } from '../../shared/errors.ts'
import type { Clock, Log, Random } from '../deps.ts'
import type { Disk } from '../platform/files/disk.ts'
import type { FileWatcher } from '../platform/files/file-watcher.ts'
import { resolveInside } from '../platform/files/real-path.ts'
import type { UnsavedRepository } from '../store/works/unsaved-repository.ts'
import { createClosedTexts, DiskCopy } from './disk-copy.ts'
import { LiveDocument } from './live-document.ts'
import type { LocalHistory } from './local-history.ts'
import { changesBetween } from './text-difference.ts'

type WindowChanges = {
  documentId: string
  clientId: string
  baseVersion: number
  changes: readonly ChangeSetJson[]
  origin?: ChangeOrigin | undefined
}

/** A file of a folder. Shape: `root` absolute; `path` relative to it, separated by `/`. */
type FileInFolder = { root: string; path: string }

/**
 * Holds every open document; windows, prompts, tools and the autosave all read this one copy.
 *
 * A document is open as long as it is watched, and a minute longer, so that a window that lost its connection
 * finds it as it was; and as long as its text is nowhere but in memory. Errors: `document/not-open` for an unknown id.
 */
export type DocumentService = ReturnType<typeof createDocumentService>

type Entry = {
  live: LiveDocument
  path: string
  watchers: number
  stopWatching: () => void
  linger: { cancel(): void } | undefined
  opening?: Promise<Entry>
}

const lingerMs = 60_000

export function createDocumentService(deps: {
  clock: Clock
  random: Random
  log: Log
  disk: Disk
  hostId: string
  watcher: FileWatcher
  history: LocalHistory
  unsaved: UnsavedRepository
}) {
  const { clock, disk, history, watcher } = deps
  const entries = new Map<string, Promise<Entry>>()
  const byId = new Map<string, Entry>()
  const closedTexts = createClosedTexts(deps)
  let lastVersion = 0

  const changing = new Set<readonly string[]>()
  const isChanging = (absolute: string): boolean => [...changing].some((paths) => paths.includes(absolute))

  const need = (documentId: string): Entry => {
    const entry = byId.get(documentId)
    if (entry === undefined || entry.live.isClosed)
      throw new AppError({ code: 'document/not-open', documentId })
    return entry
  }

  async function openEntry(absolute: string, path: string): Promise<Entry> {
    const copy = new DiskCopy(deps, absolute)
    // Versions start at the present time, so that those of two openings differ, even in different hosts.
    lastVersion = Math.max(lastVersion + 1, Math.floor(clock.now()))
    const options = { documentId: deps.random.id(), startVersion: lastVersion }
    const live: LiveDocument = await LiveDocument.open(
      { ...deps, isChanging, onConflict: () => void mergeApart(live) },
      copy,
      options,
    )
    const stopWatching = watcher.watchFile(absolute, () => void live.checkDisk())
    const entry: Entry = { live, path, watchers: 0, stopWatching, linger: undefined }
    byId.set(live.documentId, entry)
    return entry
  }

  /** Merges a conflict whose sides changed different lines, without asking the author. */
  async function mergeApart(live: LiveDocument): Promise<void> {
    try {
      const { disk: theirs, base } = await live.conflictTexts()
      if (base === null) return
      const { mergedText, openChanges, threeWayChunks } = await import(
        '../../shared/text/difference/three-way.ts'
      )
      const mine = live.doc.toString()
      const chunks = threeWayChunks(base, theirs, mine)
      const text = openChanges(chunks, new Map()).length > 0 ? null : mergedText(chunks, new Map())
      if (text !== null) await merge(live, { mine, disk: theirs, text })
    } catch (error) {
      // The conflict stays, and the author is asked.
      if (!isAppError(error)) deps.log.bug(error, 'document.merge')
    }
  }

  async function merge(
    live: LiveDocument,
    { mine, disk: theirs, text }: { mine: string; disk: string; text: string },
  ): Promise<void> {
    const now = await live.conflictTexts()
    if (now.disk !== theirs || live.doc.toString() !== mine)
      throw new AppError({ code: 'file/changed', path: live.copy.path })
    const changes = changesBetween(live.doc, Text.of(text.split('\n')))
    if (!changes.empty) live.edit(changes, 'restore')
    await live.resolve('merged')
  }

  async function acquire({ root, path }: FileInFolder): Promise<Entry> {
    const found = await resolveInside(disk, root, path)
    const current = entries.get(found.absolute)
    if ((await current)?.live.isClosed && entries.get(found.absolute) === current)
      entries.delete(found.absolute)
    let opening = entries.get(found.absolute)
    if (opening === undefined) {
      opening = openEntry(found.absolute, found.path)
      entries.set(found.absolute, opening)
      opening.catch(() => entries.delete(found.absolute))
    }
    const entry = await opening
    entry.opening = opening
    entry.watchers++
    entry.linger?.cancel()
    entry.linger = undefined
    return entry
  }

  function release(entry: Entry): void {
    entry.watchers--
    if (entry.watchers > 0) return
    if (entry.live.isClosed) forget(entry)
    else entry.linger = clock.setTimeout(() => void closeEntry(entry), lingerMs)
  }

  async function closeEntry(entry: Entry): Promise<void> {
    await entry.live.flush()
    // A window opened the document again while it was being saved.
    if (entry.watchers > 0) return
    if (isOnlyInMemory(entry.live)) {
      entry.linger = clock.setTimeout(() => void closeEntry(entry), lingerMs)
      return
    }
    entry.live.end()
    forget(entry)
  }

  /** True where neither the file nor the store could take the text: the disk of both is full. */
  function isOnlyInMemory({ isClosed, isEdited, copy, doc }: LiveDocument): boolean {
    return !isClosed && isEdited && deps.unsaved.find(copy.path)?.text !== doc.toString()
  }

  function forget(entry: Entry): void {
    lastVersion = Math.max(lastVersion, entry.live.version)
    entry.stopWatching()
    entry.linger?.cancel()
    byId.delete(entry.live.documentId)
    if (entries.get(entry.live.copy.path) === entry.opening) entries.delete(entry.live.copy.path)
  }

  /** Removes a file that is not open, and adds its text to the history, where it is text. */
  async function removeClosed(absolute: string, remove: () => Promise<void>): Promise<void> {
    const text = await closedTexts.read(absolute).catch((error: unknown) => {
      if (!isAppError(error)) throw error
      return undefined
    })
    await remove()
    try {
      if (text !== undefined) history.add(absolute, 'delete', text)
    } catch (error) {
      deps.log.bug(error, 'document.history')
    }
  }

  async function openAt(absolute: string): Promise<Entry | undefined> {
    const entry = await entries.get(absolute)
    return entry === undefined || entry.live.isClosed ? undefined : entry
  }

  return {
    /**
     * Opens a document and follows it: a snapshot, or what came after `afterVersion`, then each event.
     *
     * Errors: `file/not-found`, `file/outside`, `file/not-text`, `file/too-large`, `file/denied`.
     */
    async *watch(
      { root, path, afterVersion }: FileInFolder & { afterVersion?: number | undefined },
      signal: AbortSignal,
    ): AsyncGenerator<DocumentEvent, void, void> {
      const entry = await acquire({ root, path })
      try {
        const events = entry.live.follow(signal)
        const missed = afterVersion === undefined ? undefined : entry.live.missedSince(afterVersion)
        yield* missed ?? [{ kind: 'snapshot', snapshot: entry.live.snapshot(entry.path) }]
        yield* events
      } finally {
        release(entry)
      }
    },
    /** Errors: `document/bad-version`, `file/read-only`. */
    change: ({ documentId, baseVersion, changes, clientId, origin }: WindowChanges): ChangeResult =>
      need(documentId).live.receive(baseVersion, changes, clientId, origin),
    /**
     * Makes a change by the host itself, as one undo step in every window. Units: UTF-16 positions in the text that
     * `specs` receives, which is the current one; a plain spec is for a text that nobody else edits.
     */
    async edit(target: FileInFolder, specs: ChangeSpec | ((doc: Text) => ChangeSpec), origin: ChangeOrigin) {
      const entry = await acquire(target)
      try {
        const { live } = entry
        const wanted = typeof specs === 'function' ? specs(live.doc) : specs
        live.edit(ChangeSet.of(wanted, live.doc.length), origin)
        return { version: live.version }
      } finally {
        release(entry)
      }
    },
    /** Returns the current text: of the open document with its version, else of the disk. */
    async read(target: FileInFolder): Promise<{ text: string; version: number | null }> {
      const found = await resolveInside(disk, target.root, target.path)
      const entry = await openAt(found.absolute)
      if (entry !== undefined) return { text: entry.live.doc.toString(), version: entry.live.version }
      return { text: await closedTexts.read(found.absolute), version: null }
    },
    /**
     * Returns the text of an open document and whether it is unsaved; undefined where it is not open. Shape: a real
     * absolute path.
     */
    async openText(absolute: string): Promise<{ text: string; isUnsaved: boolean } | undefined> {
      const live = (await openAt(absolute))?.live
      return live === undefined ? undefined : { text: live.doc.toString(), isUnsaved: live.isEdited }
    },
    async save(documentId: string): Promise<{ version: number }> {
      const { live } = need(documentId)
      await live.save()
      return { version: live.version }
    },
    /** Saves the unsaved text of a file that is open. Shape: a real absolute path. */
    async flush(absolute: string): Promise<void> {
      await (await openAt(absolute))?.live.save()
    },
    async saveAll(): Promise<void> {
      await Promise.all([...byId.values()].map((entry) => entry.live.flush()))
    },
    hasUnsaved: (): boolean => [...byId.values()].some((entry) => entry.live.isEdited),
    async resolveConflict(documentId: string, choice: 'reload' | 'keep-mine'): Promise<DocumentSnapshot> {
      const entry = need(documentId)
      await entry.live.resolve(choice)
      return entry.live.snapshot(entry.path)
    },
    /** Returns the text on disk, and the common base of it and the document; null where the base is not kept. */
    conflictTexts: (documentId: string): Promise<{ disk: string; base: string | null }> =>
      need(documentId).live.conflictTexts(),
    /**
     * Ends a conflict with a text that has both sides; the local history keeps each.
     *
     * Errors: `file/changed` where one of the two texts is another one by now.
     */
    async mergeConflict(documentId: string, merged: { mine: string; disk: string; text: string }) {
      const entry = need(documentId)
      await merge(entry.live, merged)
      return entry.live.snapshot(entry.path)
    },
    async saveAsUtf8(documentId: string): Promise<{ version: number }> {
      const { live } = need(documentId)
      await live.saveAsUtf8()
      return { version: live.version }
    },
    /** Newest first. */
    history(documentId: string): HistoryEntry[] {
      const { live, path } = need(documentId)
      return history.list(live.copy.path, path)
    },
    readHistory: (documentId: string, entryId: string): string =>
      history.read(need(documentId).live.copy.path, entryId),
    /** One undoable change; the text before it is in the history. */
    restoreHistory(documentId: string, entryId: string): { version: number } {
      const { live } = need(documentId)
      const text = Text.of(history.read(live.copy.path, entryId).split('\n'))
      const changes = changesBetween(live.doc, text)
      if (!changes.empty) live.edit(changes, 'restore')
      return { version: live.version }
    },
    snapshot(documentId: string): HistoryEntry {
      const { live, path } = need(documentId)
      return history.entryOf(history.add(live.copy.path, 'manual', live.doc.toString()), path)
    },
    /**
     * Notes that we are about to change files. Until the returned function is called, no change of them counts as
     * another program's. Shape: real absolute paths.
     */
    beginChange(absolutes: readonly string[]): () => void {
      const paths = [...absolutes]
      changing.add(paths)
      return () => void changing.delete(paths)
    },
    /** Notes that we changed a file on disk: its open windows show it at once. Shape: a real absolute path. */
    async fileChanged(absolute: string): Promise<void> {
      await (await openAt(absolute))?.live.checkDisk()
    },
    /** Notes that we renamed a file: moves its document, history and unsaved text. Shape: real absolute paths. */
    fileMoved(from: string, to: string, path: string): void {
      history.moved(from, to)
      deps.unsaved.moved(from, to)
      const opening = entries.get(from)
      if (opening === undefined) return
      entries.delete(from)
      entries.set(to, opening)
      const move = (entry: Entry): void => {
        entry.stopWatching()
        entry.path = path
        entry.live.moved(to, path)
        entry.stopWatching = watcher.watchFile(to, () => void entry.live.checkDisk())
      }
      const opened = [...byId.values()].find(({ live }) => live.copy.path === from)
      if (opened !== undefined) move(opened)
      // A document that is still being opened may have read its file before the move, or not find it any more.
      else opening.then(move, () => entries.delete(to))
    },
    /** Notes that we removed a file: closes its document without writing it again. */
    async fileRemoved(absolute: string): Promise<void> {
      const entry = await openAt(absolute)
      await entry?.live.letGo()
      if (entry !== undefined) forget(entry)
    },
    /**
     * Removes a file by `remove`: then closes its document and adds its text to the history. Where `remove` fails, the
     * document stays open as it was. Shape: a real absolute path.
     */
    async removeFile(absolute: string, remove: () => Promise<void>): Promise<void> {
      const entry = await openAt(absolute)
      if (entry === undefined) return removeClosed(absolute, remove)
      await entry.live.letGo(remove)
      forget(entry)
    },
    /** Saves and closes everything. Text that no file could take is in the store afterwards. */
    async close(): Promise<void> {
      await Promise.all(
        [...byId.values()].map(async (entry) => {
          await entry.live.flush()
          entry.live.end()
          forget(entry)
        }),
      )
      history.settle()
    },
  }
}
