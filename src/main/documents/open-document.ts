import { rebaseUpdates, type Update } from '@codemirror/collab'
import { ChangeSet, type Text } from '@codemirror/state'
import type { ChangeOrigin, ChangeSetJson, DocumentChange } from '../../shared/domain/work/document.ts'
import { AppError } from '../../shared/errors.ts'

/** The client id of main's own changes. */
export const hostClientId = 'host'

/** Changes that are remembered for windows that are behind. */
const rememberedChanges = 2_000

/** One change as it was taken in. Shape: `before` is the text that it was made on. */
export type AcceptedChange = { before: Text; changes: ChangeSet; wire: DocumentChange }

type LoggedChange = { changes: ChangeSet; clientID: string; wire: DocumentChange }

/**
 * The text of an open document with its version: what every window's changes are put in order against.
 *
 * Units: UTF-16 code units, LF line ends. `version` grows by one with each change.
 */
export class OpenDocument {
  readonly documentId: string
  #doc: Text
  #version: number
  #log: LoggedChange[] = []

  /** `startVersion` must be above every version of an earlier opening, so that none is taken for the other. */
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
   * What a window's changes become after those that came first; undefined where its base is forgotten.
   *
   * Changes that were taken in before (an answer was lost) are left out.
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

  /** Takes a change to the current text in. */
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

  /** The changes after `version`; undefined where they are forgotten or never were. */
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

/** Line breaks inside an inserted line would make one line of two: they are taken as the breaks they are. */
function parseChanges(json: ChangeSetJson): ChangeSet {
  return ChangeSet.fromJSON(
    json.map((part) => {
      if (typeof part === 'number') return part
      const [deleted, ...lines] = part
      return [deleted, ...lines.flatMap((line) => line.split(/\r\n?|\n/))]
    }),
  )
}
