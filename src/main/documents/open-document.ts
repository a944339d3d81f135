import { rebaseUpdates, type Update } from '@codemirror/collab'
import { ChangeSet, type Text } from '@codemirror/state'
import type { ChangeOrigin, ChangeSetJson, DocumentChange } from '../../shared/domain/work/document.ts'
import { AppError } from '../../shared/errors.ts'

export const hostClientId = 'host'

/** Number of changes that are kept for windows that are behind. */
const rememberedChanges = 2_000

export type OpenDocument = ReturnType<typeof createOpenDocument>

type LoggedChange = { changes: ChangeSet; clientID: string; wire: DocumentChange }

/**
 * The text of an open document with its version, which orders the changes of all windows.
 *
 * Units: UTF-16 code units, LF line ends. `version` grows by one with each change. `startVersion` must be above every
 * version of an earlier opening, so that versions are never confused.
 */
export function createOpenDocument(documentId: string, startDoc: Text, startVersion: number) {
  let doc = startDoc
  let version = startVersion
  let log: LoggedChange[] = []

  function since(from: number): LoggedChange[] | undefined {
    const count = version - from
    if (count < 0 || count > log.length) return undefined
    return count === 0 ? [] : log.slice(-count)
  }

  function refuseMisfits(changes: readonly ChangeSet[]): void {
    let { length } = doc
    for (const change of changes) {
      if (change.length !== length) throw new RangeError('a change is for a text of another length')
      length = change.newLength
    }
  }

  return {
    documentId,
    get doc(): Text {
      return doc
    },
    get version(): number {
      return version
    },
    /**
     * Rebases a window's changes onto those that came first; returns undefined where their base is no longer kept.
     *
     * Leaves out changes that were applied before (their answer was lost).
     * Errors: `document/bad-version` where the changes do not fit their base.
     */
    rebase(baseVersion: number, json: readonly ChangeSetJson[], clientID: string): ChangeSet[] | undefined {
      const missed = since(baseVersion)
      if (missed === undefined) return undefined
      try {
        const updates: Update[] = json.map((changes) => ({ changes: parseChanges(changes), clientID }))
        const rebased = rebaseUpdates(updates, missed).map((update) => update.changes)
        refuseMisfits(rebased)
        return rebased
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        throw new AppError({ code: 'document/bad-version', documentId }, { cause: error })
      }
    },
    /** Applies a change to the current text. Shape: `before` is that text. */
    take(changes: ChangeSet, clientId: string, origin?: ChangeOrigin) {
      const before = doc
      const wire: DocumentChange = {
        changes: changes.toJSON(),
        clientId,
        ...(origin !== undefined && { origin }),
      }
      doc = changes.apply(before)
      version++
      log.push({ changes, clientID: clientId, wire })
      if (log.length > rememberedChanges * 2) log = log.slice(-rememberedChanges)
      return { before, wire }
    },
    /** Returns the changes after `version`; undefined where they are not kept or the version never existed. */
    changesSince: (from: number): DocumentChange[] | undefined => since(from)?.map(({ wire }) => wire),
  }
}

/** Parses changes. Splits inserted lines at line breaks inside them, so that each line of the text is one line. */
function parseChanges(json: ChangeSetJson): ChangeSet {
  return ChangeSet.fromJSON(
    json.map((part) => {
      if (typeof part === 'number') return part
      const [deleted, ...lines] = part
      return [deleted, ...lines.flatMap((line) => line.split(/\r\n?|\n/))]
    }),
  )
}
