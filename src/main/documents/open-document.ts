import { rebaseUpdates, type Update } from '@codemirror/collab'
import { ChangeSet, type Text } from '@codemirror/state'
import type { ChangeOrigin, ChangeSetJson, DocumentChange } from '../../shared/domain/work/document.ts'
import { AppError } from '../../shared/errors.ts'

/** The client id of changes by the host itself. */
export const hostClientId = 'host'

/** Number of changes that are kept for windows that are behind. */
const rememberedChanges = 2_000

/** One change as it was applied. Shape: `before` is the text to which it was applied. */
export type AcceptedChange = { before: Text; changes: ChangeSet; wire: DocumentChange }

type LoggedChange = { changes: ChangeSet; clientID: string; wire: DocumentChange }

/**
 * The text of an open document with its version, which orders the changes of all windows.
 *
 * Units: UTF-16 code units, LF line ends. `version` grows by one with each change.
 */
export class OpenDocument {
  readonly documentId: string
  #doc: Text
  #version: number
  #log: LoggedChange[] = []

  /** `startVersion` must be above every version of an earlier opening, so that versions are never confused. */
  constructor(documentId: string, doc: Text, startVersion: number) {
    this.documentId = documentId
    this.#doc = doc
    this.#version = startVersion
  }

  get doc(): Text {
    return this.#doc
  }

  get version(): number {
    return this.#version
  }

  /**
   * Rebases a window's changes onto those that came first; returns undefined where their base is no longer kept.
   *
   * Leaves out changes that were applied before (their answer was lost).
   * Errors: `document/bad-version` where the changes do not fit their base.
   */
  rebase(baseVersion: number, json: readonly ChangeSetJson[], clientId: string): ChangeSet[] | undefined {
    const missed = this.#since(baseVersion)
    if (missed === undefined) return undefined
    try {
      const updates: Update[] = json.map((changes) => ({
        changes: parseChanges(changes),
        clientID: clientId,
      }))
      const rebased = rebaseUpdates(updates, missed).map((update) => update.changes)
      this.#refuseMisfits(rebased)
      return rebased
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const info = { code: 'document/bad-version', documentId: this.documentId } as const
      throw new AppError(info, { cause: error })
    }
  }

  /** Applies a change to the current text. */
  take(changes: ChangeSet, clientId: string, origin?: ChangeOrigin): AcceptedChange {
    const before = this.#doc
    const wire: DocumentChange = {
      changes: changes.toJSON(),
      clientId,
      ...(origin === undefined ? {} : { origin }),
    }
    this.#doc = changes.apply(before)
    this.#version++
    this.#log.push({ changes, clientID: clientId, wire })
    if (this.#log.length > rememberedChanges * 2) this.#log = this.#log.slice(-rememberedChanges)
    return { before, changes, wire }
  }

  /** Returns the changes after `version`; undefined where they are not kept or the version never existed. */
  changesSince(version: number): DocumentChange[] | undefined {
    return this.#since(version)?.map(({ wire }) => wire)
  }

  #since(version: number): LoggedChange[] | undefined {
    const count = this.#version - version
    if (count < 0 || count > this.#log.length) return undefined
    return count === 0 ? [] : this.#log.slice(-count)
  }

  #refuseMisfits(changes: readonly ChangeSet[]): void {
    let length = this.#doc.length
    for (const change of changes) {
      if (change.length !== length) throw new RangeError('a change is for a text of another length')
      length = change.newLength
    }
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
