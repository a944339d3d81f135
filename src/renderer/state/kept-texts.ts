import type { MessageSegment } from '../../shared/domain/session/message-segment.ts'
import type { KeptChanges, KeptPlace } from '../editor/editor-types.ts'
import type { DetailName } from './slices/work/detail-texts-slice.ts'

/** Unsaved text of this tab's documents, kept by the browser over reloads, also without a host. */
export type KeptTexts = ReturnType<typeof createKeptTexts>

/** Kept text of a file, by a unique `key`. `isHeld`: an open document of this page brings it to the host. */
export type KeptText = { key: string; root: string; path: string; changes: KeptChanges; isHeld: boolean }

type Messages = Record<string, MessageSegment[]>

/**
 * Text of a detail that the host has not confirmed. `known`: the text that stood in the field when it was changed, then
 * each text that was sent without an answer; another text in the field comes from elsewhere.
 */
export type UnsavedDetail = { text: string; known: string[] }

/** By the folder of the work and the name of the field. */
type UnsavedDetails = Record<string, Partial<Record<DetailName, UnsavedDetail>>>

const prefix = 'tsugi.unsaved '
const messagePrefix = 'tsugi.unsent '
const detailsKey = 'tsugi.details'

/** Keeps texts in the browser's storage, and in the page itself where the storage is forbidden or full. */
export function createKeptTexts(storage: Storage | null) {
  const unstored = new Map<string, KeptChanges>()
  const held = new Set<string>()
  const listeners: (() => void)[] = []
  const keyOf = (root: string, path: string, holder: string) =>
    `${prefix}${JSON.stringify(holder === '' ? [root, path] : [root, path, holder])}`

  const storedKeys = () =>
    Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? '')
  const places = () =>
    [...new Set([...storedKeys(), ...unstored.keys()])].flatMap((key) => {
      if (!key.startsWith(prefix)) return []
      const [root, path, holder = ''] = JSON.parse(key.slice(prefix.length)) as [string, string, string?]
      return [{ key, root, path, holder }]
    })
  const readKey = (key: string) => unstored.get(key) ?? parse(storage?.getItem(key) ?? null)
  /** Stores a value, or removes it. False where the storage is full: the page asks before it closes. */
  const store = (key: string, value: object | null): boolean => {
    try {
      storage?.removeItem(key)
      if (value !== null) storage?.setItem(key, JSON.stringify(value))
      return true
    } catch {
      return false
    }
  }
  const writeKey = (key: string, kept: KeptChanges | null) => {
    unstored.delete(key)
    const isStored = store(key, kept) && storage !== null
    if (kept !== null && !isStored) unstored.set(key, kept)
  }
  const all = (): KeptText[] =>
    places().flatMap(({ key, root, path, holder }) => {
      const changes = readKey(key)
      return changes === null ? [] : [{ key, root, path, changes, isHeld: held.has(holder) }]
    })

  const readMessages = (workId: string): Messages => {
    const text = storage?.getItem(messagePrefix + workId) ?? null
    return text === null ? {} : (JSON.parse(text) as Messages)
  }
  const orNull = <T extends object>(values: T) => (Object.keys(values).length > 0 ? values : null)

  return {
    /**
     * `path`: relative to the work at `root`. `holder`: names one document of one page, which follows its file to
     * another name. Its first reading takes over what was left for the file.
     */
    place(root: string, path: string, holder = ''): KeptPlace {
      const key = keyOf(root, path, holder)
      const hold = () => holder !== '' && held.add(holder)
      return {
        read() {
          hold()
          const own = readKey(key)
          const isLeft = (one: KeptText) => !one.isHeld && one.root === root && one.path === path
          const found = own === null ? all().find(isLeft) : undefined
          if (found === undefined) return own
          writeKey(key, found.changes)
          writeKey(found.key, null)
          return found.changes
        },
        write(kept) {
          hold()
          // The file may have had another name when its text was kept.
          for (const one of holder === '' ? [] : places())
            if (one.holder === holder && one.key !== key) writeKey(one.key, null)
          writeKey(key, kept)
        },
        release() {
          held.delete(holder)
          if (readKey(key) !== null) for (const listener of listeners) listener()
        },
      }
    },
    all,
    /** Removes one of `all`. */
    forget: (key: string) => writeKey(key, null),
    /** Calls `listener` whenever a document was closed that is not saved. */
    onLeft: (listener: () => void) => void listeners.push(listener),
    /** Messages that the host had not received when the page closed, by the names of their places. */
    messages: {
      read: readMessages,
      /** Returns the kept texts of all works, by their ids. */
      all() {
        const keys = storedKeys().filter((key) => key.startsWith(messagePrefix))
        const ids = keys.map((key) => key.slice(messagePrefix.length))
        return Object.fromEntries(ids.map((id) => [id, readMessages(id)]))
      },
      write: (workId: string, messages: Messages) => void store(messagePrefix + workId, orNull(messages)),
    },
    /** Details of works that the host had not confirmed when the page went. */
    details: {
      read: () => JSON.parse(storage?.getItem(detailsKey) ?? '{}') as UnsavedDetails,
      write: (texts: UnsavedDetails) => void store(detailsKey, orNull(texts)),
    },
  }
}

/** Reads a kept text. Only this app writes it; a text that another version wrote in another shape is none. */
function parse(text: string | null): KeptChanges | null {
  const value = text === null ? null : (JSON.parse(text) as Partial<KeptChanges> | null)
  return typeof value?.base === 'string' && Array.isArray(value.log) ? (value as KeptChanges) : null
}
