import { isolateHistory } from '@codemirror/commands'
import {
  Annotation,
  ChangeSet,
  type EditorState,
  type Extension,
  StateField,
  Text,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state'
import type {
  ChangeOrigin,
  ChangeSetJson,
  DocumentChange,
  DocumentSnapshot,
} from '../../../shared/domain/work/document.ts'
import {
  type LocalChange,
  likeliest,
  rebaseUnsaved,
  type Unsaved,
  type UnsavedChange,
} from './unsaved-changes.ts'

/** Marks a local change that the author did not type, with its origin. */
export const changeOrigin = Annotation.define<ChangeOrigin>()

/**
 * State of a document relative to main: `base` is main's text at `version`, and `unconfirmed` leads from it to the text
 * of this state. `saved` is the text that is in the file, and `unsaved` leads from it to `base`: changes that main has
 * only in memory are kept here until they are on disk.
 */
export type SyncedChanges = {
  version: number
  base: Text
  unconfirmed: readonly LocalChange[]
  saved: Text
  unsaved: readonly UnsavedChange[]
}

type Snapshot = Pick<DocumentSnapshot, 'version' | 'text' | 'savedVersion'>

const received = Annotation.define<SyncedChanges>()

/**
 * A mutable cell. Where main's side changes and the text does not, the cell of the newest state is updated in place:
 * the view then has nothing to draw, and a view update between two keys would cost half of what a key costs.
 */
type Cell = { synced: SyncedChanges }

/**
 * The window's end of collaborative editing: the same rebasing as `@codemirror/collab`, which main uses.
 *
 * It is a field of our own for two things that the package's cannot do: main's changes are undo steps of this
 * window, and a fresh snapshot can take the place of a history that main has forgotten.
 * Source: `receiveUpdates` and `rebaseUpdates` of `@codemirror/collab`.
 */
const syncedField = StateField.define<Cell>({
  create: (state) => ({ synced: inSync(0, state.doc) }),
  update(value, transaction) {
    const given = transaction.annotation(received)
    if (given) return { synced: given }
    if (transaction.changes.empty) return value
    const { synced } = value
    const local = { changes: transaction.changes, origin: transaction.annotation(changeOrigin) }
    return { synced: { ...synced, unconfirmed: [...synced.unconfirmed, local] } }
  },
})

export function syncedChanges(version: number): Extension {
  return syncedField.init((state) => ({ synced: inSync(version, state.doc) }))
}

function inSync(version: number, doc: Text): SyncedChanges {
  return { version, base: doc, unconfirmed: [], saved: doc, unsaved: [] }
}

export function syncedState(state: EditorState): SyncedChanges {
  return state.field(syncedField).synced
}

/** True for a change that main does not know yet. */
export function isLocalChange(transaction: Transaction): boolean {
  return transaction.docChanged && transaction.annotation(received) === undefined
}

/** Returns the first unconfirmed changes of one origin, as `document.change` takes them. */
export function sendableChanges(
  state: EditorState,
  limit: number,
): { changes: ChangeSetJson[]; origin: ChangeOrigin | undefined } | null {
  const { unconfirmed } = syncedState(state)
  const origin = unconfirmed[0]?.origin
  const end = unconfirmed.findIndex((local) => local.origin !== origin)
  const batch = unconfirmed.slice(0, Math.min(limit, end < 0 ? unconfirmed.length : end))
  if (batch.length === 0) return null
  return { changes: batch.map((local) => local.changes.toJSON() as ChangeSetJson), origin }
}

/** Cuts the changes that main reports into runs that `receiveRun` takes: own, other windows', one of main's. */
export function runsOf(changes: readonly DocumentChange[], clientId: string): DocumentChange[][] {
  const runs: DocumentChange[][] = []
  for (const change of changes) {
    const run = runs.at(-1)
    const previous = run?.[0]
    const isJoined =
      change.clientId !== 'host' &&
      previous !== undefined &&
      previous.clientId !== 'host' &&
      (previous.clientId === clientId) === (change.clientId === clientId)
    if (isJoined) run?.push(change)
    else runs.push([change])
  }
  return runs
}

/** Takes in a run of this window's own changes that came back from main. To be called with the newest state. */
export function confirmRun(state: EditorState, run: readonly DocumentChange[]): void {
  const { unconfirmed } = syncedState(state)
  if (unconfirmed.length < run.length) throw new RangeError('More changes came back than were made')
  const { next } = afterRun(state, run, true)
  state.field(syncedField).synced = { ...next, unconfirmed: unconfirmed.slice(run.length) }
}

/**
 * Returns the transaction that applies a run of changes from main that this window did not make.
 *
 * Other windows' stay out of this window's undo history; main's own are one undo step each.
 */
export function receiveRun(state: EditorState, run: readonly DocumentChange[]): TransactionSpec {
  const { next, changes } = afterRun(state, run, false)
  const first = run[0]
  const over = rebase(syncedState(state).unconfirmed, changes)
  const synced = received.of({ ...next, unconfirmed: over.unconfirmed })
  if (first?.clientId === 'host') {
    const userEvent = `host.${first.origin ?? 'change'}`
    return { changes: over.changes, annotations: hostStep(synced), filter: false, userEvent }
  }
  return { changes: over.changes, annotations: [synced, ...foreign], filter: false }
}

/** Returns main's side after a run of changes, and the run as one change. */
function afterRun(
  state: EditorState,
  run: readonly DocumentChange[],
  isOwn: boolean,
): { next: Omit<SyncedChanges, 'unconfirmed'>; changes: ChangeSet } {
  const { version, base, saved, unsaved } = syncedState(state)
  const each = run.map((change) => ChangeSet.fromJSON(change.changes))
  const changes = each.reduce((all, next) => all.compose(next))
  const arrived = run.map(
    (change, index): UnsavedChange => ({
      changes: each[index] ?? changes,
      origin: change.origin,
      isOwn,
      version: version + index + 1,
    }),
  )
  const next = {
    version: version + run.length,
    base: changes.apply(base),
    saved,
    unsaved: [...unsaved, ...arrived],
  }
  return { next, changes }
}

/**
 * Returns the transaction that goes on from a fresh snapshot of the same document; nothing that was typed is lost.
 *
 * `confirmed` lists how many of the unconfirmed changes the snapshot may contain: one number where that is
 * known, several where an answer was lost. Of several, those by which typed text would have vanished again are
 * put last, then the one that leaves the least difference is taken.
 */
export function receiveSnapshot(
  state: EditorState,
  snapshot: Snapshot,
  confirmed: readonly number[],
): TransactionSpec {
  const base = textOf(snapshot)
  const synced = syncedState(state)
  const likely = likeliest(synced.base, synced.unconfirmed, confirmed, base)
  const over = rebase(synced.unconfirmed.slice(likely.count), likely.theirs)
  const { version } = snapshot
  const confirmedNow = synced.unconfirmed.slice(0, likely.count)
  const unsaved: UnsavedChange[] = [
    ...synced.unsaved,
    ...confirmedNow.map((local) => ({ ...local, isOwn: true, version })),
    { changes: likely.theirs, origin: undefined, isOwn: false, version },
  ]
  const next = { version, base, unconfirmed: over.unconfirmed, saved: synced.saved, unsaved }
  const value = received.of(withSaved(next, snapshot.savedVersion))
  return { changes: over.changes, annotations: [value, ...foreign], filter: false }
}

/**
 * Returns the transaction that goes on from the snapshot of another opening: of a host that was started again, or of a
 * document that was closed meanwhile. The part of this window's text that the snapshot lacks is made again.
 *
 * The difference can be undone: the text may have changed in ways that the author did not see.
 */
export function receiveOpening(state: EditorState, snapshot: Snapshot): TransactionSpec {
  const { changes, synced } = openedOver(unsavedOf(syncedState(state)), snapshot)
  return { changes, annotations: hostStep(received.of(synced)), filter: false }
}

/**
 * Returns the transaction that gives a new state, which shows the snapshot, the changes that an earlier page could not
 * save. Those that the snapshot contains stay unsaved until main says that they are saved. A new page has nothing to
 * undo: one key would take back all of it.
 */
export function receiveKept(unsaved: Unsaved, snapshot: Snapshot, atLeast: number): TransactionSpec {
  const { synced } = openedOver(unsaved, snapshot, atLeast)
  const start = ChangeSet.empty(synced.base.length)
  const changes = synced.unconfirmed.reduce((all, local) => all.compose(local.changes), start)
  const annotations = [received.of(synced), Transaction.addToHistory.of(false)]
  return { changes, annotations, filter: false, userEvent: 'input.kept' }
}

function openedOver(
  before: Unsaved,
  snapshot: Snapshot,
  atLeast?: number,
): { changes: ChangeSet; synced: SyncedChanges } {
  const base = textOf(snapshot)
  const { version, savedVersion } = snapshot
  const { contained, rest, changes } = rebaseUnsaved(before, base, atLeast)
  const unsaved = contained.map((change) => ({ ...change, version }))
  const synced = { version, base, unconfirmed: rest, saved: before.base, unsaved }
  return { changes, synced: withSaved(synced, savedVersion) }
}

/** Counts everything up to `version` as saved. To be called with the newest state. */
export function confirmSaved(state: EditorState, version: number): void {
  const cell = state.field(syncedField)
  cell.synced = withSaved(cell.synced, version)
}

/** Returns the changes of this window that may not be in the file yet. */
export function unsavedOf({ saved, unsaved, unconfirmed }: SyncedChanges): Unsaved {
  return { base: saved, log: [...unsaved, ...unconfirmed.map((local) => ({ ...local, isOwn: true }))] }
}

function withSaved(synced: SyncedChanges, savedVersion: number): SyncedChanges {
  if (savedVersion >= synced.version) return { ...synced, saved: synced.base, unsaved: [] }
  const unsaved = synced.unsaved.filter(({ version }) => version > savedVersion)
  const done = synced.unsaved.slice(0, synced.unsaved.length - unsaved.length)
  return { ...synced, saved: done.reduce((text, { changes }) => changes.apply(text), synced.saved), unsaved }
}

function textOf(snapshot: { text: string }): Text {
  return Text.of(snapshot.text.split('\n'))
}

/** Maps a place of main's text into this state: `from` stays before what was typed there, `position` behind. */
export function placeFromSynced(
  state: EditorState,
  { position, from = position }: { position: number; from?: number },
): { position: number; from: number } {
  const { base, unconfirmed } = syncedState(state)
  const follow = (start: number, side: -1 | 1): number =>
    unconfirmed.reduce(
      (at, local) => local.changes.mapPos(at, side),
      Math.max(0, Math.min(start, base.length)),
    )
  return { position: follow(position, 1), from: follow(from, -1) }
}

const foreign = [Transaction.addToHistory.of(false), Transaction.remote.of(true)]

function hostStep(synced: Annotation<SyncedChanges>): Annotation<unknown>[] {
  return [synced, isolateHistory.of('full'), Transaction.remote.of(true)]
}

function rebase(
  unconfirmed: readonly LocalChange[],
  changes: ChangeSet,
): { unconfirmed: LocalChange[]; changes: ChangeSet } {
  let over = changes
  const rebased = unconfirmed.map((local) => {
    const moved = { ...local, changes: local.changes.map(over) }
    over = over.map(local.changes, true)
    return moved
  })
  return { unconfirmed: rebased, changes: over }
}
