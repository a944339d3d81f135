import type { DraftDetails } from '../../shared/domain/drafting/draft-details.ts'
import type { MessageSegment } from '../../shared/domain/session/message-segment.ts'
import type { KeptChanges, KeptPlace } from '../editor/editor-types.ts'

/**
 * Unsaved text of this tab's documents, kept by the browser: a reload finds it, whether the host is there or not.
 * Another tab has its own.
 */
export type KeptTexts = {
  /** `path`: relative to the work at `root`. */
  place(root: string, path: string): KeptPlace
  /** Paths of a work that something is kept of. */
  pathsOf(root: string): string[]
  messages: KeptMessages
  details: KeptDetails
}

/** Messages that the host had not heard of when the page went, by the names of their places. */
export type KeptMessages = {
  read(workId: string): Record<string, MessageSegment[]>
  write(workId: string, messages: Record<string, MessageSegment[]>): void
}

/** The details of a work that are typed as text. */
export type DetailName = Extract<
  keyof DraftDetails,
  'title' | 'synopsis' | 'setting' | 'plot' | 'authorsNote' | 'memo'
>

/**
 * Text of a detail that the host has not confirmed. `known`: the text that stood in the field when it was changed, then
 * each text that was sent without an answer; another text in the field comes from elsewhere.
 */
export type UnsavedDetail = { text: string; known: string[] }

/** By the folder of the work and the name of the field. */
export type UnsavedDetails = Record<string, Partial<Record<DetailName, UnsavedDetail>>>

/** Details of works that the host had not confirmed when the page went. */
export type KeptDetails = {
  read(): UnsavedDetails
  write(texts: UnsavedDetails): void
}

const prefix = 'tsugi.unsaved '
const messagePrefix = 'tsugi.unsent '
const detailsKey = 'tsugi.details'

/** Keeps texts in the browser's storage, and in the page itself where the storage is forbidden or full. */
export function createKeptTexts(storage: Storage | null): KeptTexts {
  const unstored = new Map<string, KeptChanges>()
  const keyOf = (root: string, path: string) => `${prefix}${JSON.stringify([root, path])}`

  const keys = () => {
    const stored = Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? '')
    return new Set([...stored, ...unstored.keys()].filter((key) => key.startsWith(prefix)))
  }

  return {
    place(root, path) {
      const key = keyOf(root, path)
      return {
        read: () => unstored.get(key) ?? parse(storage?.getItem(key) ?? null),
        write(kept) {
          unstored.delete(key)
          try {
            storage?.removeItem(key)
            if (kept !== null && storage !== null) storage.setItem(key, JSON.stringify(kept))
          } catch {
            // The storage is full: the page asks before it closes, and says what it has.
            if (kept !== null) unstored.set(key, kept)
          }
          if (kept !== null && storage === null) unstored.set(key, kept)
        },
      }
    },
    pathsOf: (root) =>
      [...keys()].flatMap((key) => {
        const [of, path] = JSON.parse(key.slice(prefix.length)) as [string, string]
        return of === root ? [path] : []
      }),
    messages: {
      read(workId) {
        const text = storage?.getItem(messagePrefix + workId) ?? null
        return text === null ? {} : (JSON.parse(text) as Record<string, MessageSegment[]>)
      },
      write(workId, messages) {
        try {
          storage?.removeItem(messagePrefix + workId)
          if (Object.keys(messages).length > 0)
            storage?.setItem(messagePrefix + workId, JSON.stringify(messages))
        } catch {
          // The storage is full: the page asks before it closes.
        }
      },
    },
    details: {
      read: () => JSON.parse(storage?.getItem(detailsKey) ?? '{}') as UnsavedDetails,
      write(texts) {
        try {
          storage?.removeItem(detailsKey)
          if (Object.keys(texts).length > 0) storage?.setItem(detailsKey, JSON.stringify(texts))
        } catch {
          // The storage is full: the page asks before it closes.
        }
      },
    },
  }
}

/** Reads a kept text. Only this app writes it; a text that another version wrote in another shape is none. */
function parse(text: string | null): KeptChanges | null {
  const value = text === null ? null : (JSON.parse(text) as Partial<KeptChanges> | null)
  return typeof value?.base === 'string' && Array.isArray(value.log) ? (value as KeptChanges) : null
}
