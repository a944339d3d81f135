import type { TurnEnd } from '../../../shared/domain/session/agent-state.ts'
import { goneHash } from '../../../shared/domain/session/file-reference.ts'
import type { GateView } from '../../../shared/domain/session/gate.ts'
import { isAppError } from '../../../shared/errors.ts'
import { step } from '../../agent/agent-machine.ts'
import type { AgentWords } from '../../agent/model/prompt/agent-words.ts'
import type { Clock, Random } from '../../deps.ts'
import type { GateService } from '../../gates/gate-service.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import {
  type AdoptedTurn,
  adoptedTurn,
  type ForkedTurn,
  isAsLeft,
  removeAdopted,
  sessionWithout,
  storeAdopted,
} from '../../sessions/adopted-turn.ts'
import type { NewItem } from '../../sessions/session-items.ts'
import type { SessionRepository } from '../../store/sessions/session-repository.ts'
import type { AppliedChangeSet } from '../../workspace/apply-change-set.ts'
import type { WritableFolder } from '../../workspace/writable-folder.ts'
import type { AcceptableLink, AcceptingSession, AcceptOutcome } from './acceptable-link.ts'
import { type AcceptancePlan, changeOf, type FileTexts, type WantedFile } from './acceptance-plan.ts'
import { changedFiles, type Refusal } from './staged-call.ts'

/** What a rule, the mode or the user said to the changes of a fork. */
type Verdict = { kind: 'granted' } | { kind: 'approved' } | { kind: 'refused'; reason: string | null }

/**
 * The changes that have consent. Shape: `verdict` null: no consent was needed. `wanted` without what was refused.
 * `gate` as it was shown, where one was.
 */
export type Consented = {
  verdict: Verdict | null
  wanted: readonly WantedFile[]
  refusal: Refusal
  gate: GateView | null
}

type Committing = {
  link: AcceptableLink
  into: AcceptingSession
  fork: ForkedTurn
  plan: AcceptancePlan
  folder: WritableFolder
  consented: Consented
  /** Throws where the consent does not hold any more. */
  confirm?: () => Promise<void>
}

type Deps = Pick<AcceptanceDeps, 'clock' | 'random' | 'repository' | 'texts' | 'words'>

/** Thrown in the transaction, which is then rolled back. */
class LostSession extends Error {}

/**
 * Applies the changes and adopts the fork's turns in one transaction: before it nothing is in the folder, the store or
 * the memory; after it everything is carried out, after a crash at the next start. Null: the session has gone on.
 *
 * Errors: `file/changed` for a file that is not as it was planned, and whatever else prevents a change; all changes are
 * taken back then.
 */
export async function commitAcceptance(deps: Deps, work: Committing): Promise<AcceptOutcome | null> {
  const { folder, into, consented } = work
  const { session } = into
  const begun: { adopted: AdoptedTurn | null; how: TurnEnd | null; id: string | null } = {
    adopted: null,
    how: null,
    id: null,
  }
  try {
    const applied = await work.link.overlay.takeIn(() =>
      folder.apply({
        changes: consented.wanted.map(changeOf),
        note: 'speculation',
        ...(work.confirm && { confirm: work.confirm }),
        alsoWrite(id) {
          if (!isAsLeft(session, work.fork)) throw new LostSession('the session has gone on')
          const { adopted, how } = adoptedOf(deps, work, consented.wanted.length > 0 ? id : null)
          storeAdopted(deps.repository, adopted)
          Object.assign(begun, { adopted, how, id })
        },
        committed() {
          if (begun.adopted !== null) session.become(begun.adopted, begun.adopted.items)
        },
        alsoTakeBack() {
          if (begun.adopted !== null) removeAdopted(deps.repository, begun.adopted, session)
        },
      }),
    )
    return finish(deps, work, applied, begun.how)
  } catch (error) {
    if (error instanceof LostSession) return null
    const { adopted, id } = begun
    const state = id === null ? null : folder.stateOf(id)
    if (adopted === null || id === null || state === null) throw error
    if (state === 'undone') session.become(sessionWithout(adopted, session), [])
    if (state === 'undone' || !isAppError(error)) throw error
    // The changes could neither be made nor taken back: the session has them, and the next start carries them out.
    const waiting = [{ path: into.root, error: error.info }]
    return finish(deps, work, { id, conflicts: [], waiting }, begun.how)
  }
}

/** Returns the turns as the session adopts them, and how the last one has ended; null where it goes on. */
function adoptedOf(
  deps: Deps,
  work: Committing,
  changeSetId: string | null,
): { adopted: AdoptedTurn; how: TurnEnd | null } {
  const { link, fork, into, plan, consented } = work
  const { verdict, gate } = consented
  const made = new Set(consented.wanted.map(({ path }) => path))
  const type = isRefused(work) ? 'staged.refused' : 'staged.accepted'
  const { state, effects } = step(fork.state, { type, boundary: link.boundary?.callId ?? null })
  const note = noteOf(deps, work)
  const words = deps.words(into.session.language)
  const items: NewItem[] = []
  if (gate !== null && verdict !== null) {
    const isRejected = verdict.kind === 'refused'
    const reason = isRejected ? verdict.reason : null
    items.push({ kind: 'gate', gate, state: isRejected ? 'rejected' : 'approved', reason })
  }
  const adopted = adoptedTurn(into.session, fork, {
    now: deps.clock.now(),
    state,
    changeSetId,
    unmade: new Set([...openFiles(plan), ...plan.kept].filter((path) => !made.has(path))),
    items,
    results: effects.flatMap((effect) =>
      effect.type === 'call.result'
        ? [{ callId: effect.callId, text: words.outcome(effect.outcome, effect.reason) }]
        : [],
    ),
    // Where calls still wait for their results, the note follows these, with the next request.
    note: state.calls.length > 0 ? null : note,
    newId: () => deps.random.id(),
  })
  const end = effects.find((effect) => effect.type === 'turn.ended')
  return { adopted, how: end?.how ?? null }
}

/** Returns the files that an acceptance is still about; those in conflict can only be refused. */
function openFiles({ wanted, conflicts }: AcceptancePlan): string[] {
  return [...wanted, ...conflicts].map(({ path }) => path)
}

/** True where the user has refused all changes, or kept every file as it is. */
function isRefused({ plan, consented: { verdict, wanted } }: Committing): boolean {
  if (verdict?.kind === 'refused') return true
  return wanted.length === 0 && plan.kept.length > 0 && plan.merged.length === 0
}

/** Returns what the model is told of the acceptance; null where all changes were taken as it made them. */
function noteOf({ words }: Deps, { into, plan, consented }: Committing): string | null {
  const { verdict, refusal } = consented
  const isRefused = verdict?.kind === 'refused'
  const note = words(into.session.language).accepted({
    refused: isRefused ? openFiles(plan) : refusal.files,
    merged: plan.merged,
    kept: plan.kept,
    reason: isRefused ? verdict.reason : null,
  })
  return note === '' ? null : note
}

function finish(deps: Deps, work: Committing, applied: AppliedChangeSet, how: TurnEnd | null): AcceptOutcome {
  const { into, link, consented } = work
  const { session, runner } = into
  const { conflicts, waiting } = applied
  const { turn, state } = session
  const note = noteOf(deps, work)
  // What the session has held since the fork left it is still to be told.
  const since = runner.held.filter((entry) => !link.heldBefore.includes(entry))
  runner.forget()
  runner.inherit(link.held)
  runner.inherit(since.map((entry) => ({ ...entry, turn })))
  if (note !== null && state.calls.length > 0)
    runner.inherit([{ turn, role: 'user', kind: 'note', text: note }])
  if (conflicts.length > 0) {
    const notice = { kind: 'left-alone', changeSetId: applied.id, paths: conflicts } as const
    session.add({ kind: 'notice', notice })
    const text = deps.words(session.language).notice(notice)
    if (text !== null) runner.inherit([{ turn, role: 'user', kind: 'note', text }])
  }
  noteContents(into, link, consented.wanted)
  const made = consented.wanted.filter(({ path }) => !conflicts.includes(path))
  return {
    step: 'accepted',
    changeSetId: consented.wanted.length > 0 ? applied.id : null,
    files: changedFiles(deps.texts, made),
    left: conflicts,
    waiting,
    refusedHunks: consented.refusal.hunks,
    isAltered: note !== null || conflicts.length > 0 || waiting.length > 0,
    isRefused: isRefused(work),
    how,
  }
}

/**
 * Notes as seen by the session's model what the fork's model has seen or written, where it is on the disk like that.
 * Files that a command of the fork changed count as not seen, as after any command.
 */
function noteContents(
  { ledger }: AcceptingSession,
  { ledger: seen, overlay }: AcceptableLink,
  wanted: readonly WantedFile[],
): void {
  const hashes = new Map(overlay.reads())
  for (const { path, newBytes } of wanted) {
    const hash = newBytes === null ? goneHash : contentHash(newBytes)
    hashes.set(path, hash)
    if (!seen.has(path)) ledger.replaced(path, hash)
  }
  for (const { path, from, to } of seen.filesInUse().toReversed()) {
    const hash = hashes.get(path)
    if (hash !== undefined && seen.knows(path, hash)) ledger.note(path, hash, { from, to })
  }
}

export type AcceptanceDeps = {
  clock: Clock
  random: Random
  repository: SessionRepository
  gates: Pick<GateService, 'askApply' | 'weighStaged' | 'basisVersion' | 'answer' | 'view' | 'withdraw'>
  /** Shape: real paths; `added` are the folders that were added to the session. */
  folder(root: string, added: readonly string[]): WritableFolder
  texts: FileTexts
  words(language: 'ja' | 'en'): Pick<AgentWords, 'accepted' | 'notice' | 'outcome'>
}
