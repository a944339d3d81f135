import type { GateView } from '../../../shared/domain/session/gate.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import { createKeyedQueue } from '../../../shared/serial-queue.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'
import type { Verdict } from '../../gates/judge.ts'
import { isAsLeft } from '../../sessions/adopted-turn.ts'
import { consentContext } from '../../sessions/session-view.ts'
import type { WritableFolder } from '../../workspace/writable-folder.ts'
import {
  type AcceptAnswers,
  type AcceptableLink,
  type AcceptingSession,
  type AcceptOutcome,
  type AcceptOutlook,
  noAnswers,
} from './acceptable-link.ts'
import { type AcceptancePlan, planAcceptance } from './acceptance-plan.ts'
import { type AcceptanceDeps, type Consented, commitAcceptance } from './commit-acceptance.ts'
import { finishedPart } from './finished-part.ts'
import { noRefusal, type StagedCall, stagedCall } from './staged-call.ts'

/** Units: graphemes. */
const titleLength = 80
/** Most attempts to accept where files keep changing between the plan and the commit. */
const mostTries = 5

const outlookOf: Readonly<Record<Verdict['kind'], AcceptOutlook>> = {
  grant: 'write',
  ask: 'ask',
  deny: 'denied',
}

export type Acceptance = ReturnType<typeof createAcceptance>

/** Brings speculations into the folder and the session; nothing else does. */
export function createAcceptance(deps: AcceptanceDeps) {
  const { gates } = deps
  /** Acceptances of a session run one after the other: the first one wins. */
  const inTurn = createKeyedQueue<string>()

  async function accept(
    link: AcceptableLink,
    into: AcceptingSession,
    answers: AcceptAnswers,
    triesLeft = mostTries,
  ): Promise<AcceptOutcome> {
    const { session, root } = into
    const fork = finishedPart(link.fork(), link.boundary)
    if (!session.isStored) throw new AppError({ code: 'file/disk-full', path: root })
    const withdraw = (): void => {
      if (answers.asked !== null) gates.withdraw(session.sessionId, answers.asked)
    }
    const lost = (): AcceptOutcome => {
      withdraw()
      return { step: 'lost' }
    }
    if (!isAsLeft(session, fork)) return lost()
    const folder = folderOf(into)
    // A refusal writes nothing: it holds whatever has become of the files, the rules and its question meanwhile.
    const refusal = answers.gate?.verdict === 'refuse' ? answers.gate : null
    try {
      const plan = await planAcceptance(folder, deps.texts, link.overlay, answers.merged)
      if (refusal !== null) {
        const consented = await refused(into, answers, refusal)
        const outcome = await commitAcceptance(deps, { link, into, fork, plan, folder, consented })
        return outcome ?? lost()
      }
      const isStale = plan.stale.paths.length > 0 && !answers.knowsStale
      if (isStale || plan.conflicts.length > 0) withdraw()
      if (isStale) return { step: 'stale', ...plan.stale }
      if (plan.conflicts.length > 0) return { step: 'conflicts', files: plan.conflicts }
      const judged = await basisOf(into)
      const consented = await consentTo(link, into, plan, answers)
      if ('step' in consented) return consented
      // The user's answer may itself have added a rule for the rest of the session.
      const basis = consented.gate === null ? judged : await basisOf(into)
      const confirm = async (): Promise<void> => {
        if ((await basisOf(into)) !== basis) throw new AppError({ code: 'file/changed', path: root })
      }
      const outcome = await commitAcceptance(deps, { link, into, fork, plan, folder, consented, confirm })
      return outcome ?? lost()
    } catch (error) {
      // Files, rules, the trust or the mode changed during the acceptance: plans, and asks, again.
      if (!isAppError(error, 'file/changed') || triesLeft <= 1) throw error
      return accept(link, into, { ...answers, gate: refusal }, triesLeft - 1)
    }
  }

  /** Returns what the consent depends on, to be compared with its later value. */
  async function basisOf({ root, session }: AcceptingSession): Promise<string> {
    const version = await gates.basisVersion({ sessionId: session.sessionId, root })
    return `${session.state.mode} ${version}`
  }

  function folderOf({ root, session }: AcceptingSession): WritableFolder {
    return deps.folder(
      root,
      session.folders.map(({ path }) => path),
    )
  }

  /** Returns the consent of the rules, the mode or the user; or what must be asked first. */
  async function consentTo(
    link: AcceptableLink,
    into: AcceptingSession,
    plan: AcceptancePlan,
    answers: AcceptAnswers,
  ): Promise<Consented | AcceptOutcome> {
    if (plan.wanted.length === 0) return { verdict: null, wanted: [], refusal: noRefusal, gate: null }
    const { sessionId, state } = into.session
    if (answers.gate !== null && shown(sessionId, answers.asked) !== null)
      return answered(into, answers.asked, answers.gate)
    const call = callOf(link, into, plan, answers)
    const asked = shown(sessionId, answers.asked)
    if (asked !== null && asked.calls[0]?.hash === call.hash) return { step: 'gate', gate: asked }
    if (asked !== null) gates.withdraw(sessionId, asked.gateId)
    const context = consentContext(into.session, into.root)
    const { rationale } = state.turn
    const finding = await gates.askApply(context, call, rationale, answers.wasAnswered)
    const { records, denied, gates: opened } = finding
    const [record] = records
    if (record !== undefined)
      return { verdict: { kind: 'granted' }, wanted: call.wanted, refusal: call.refusal, gate: null }
    const [refused] = denied
    if (refused !== undefined) return { step: 'denied', denial: refused.denial }
    const [gate] = opened
    if (gate === undefined) throw new Error('no verdict on the changes')
    return { step: 'gate', gate: gates.view(sessionId, gate.gateId) }
  }

  /** Returns the gate that is open now; null where none is, or where changed files have closed it. */
  function shown(sessionId: string, gateId: string | null): GateView | null {
    if (gateId === null) return null
    try {
      return gates.view(sessionId, gateId)
    } catch (error) {
      if (!isAppError(error, 'gate/not-open')) throw error
      return null
    }
  }

  /** Returns the refusal of all changes, also where the gate is open no more. Errors: as `answered`. */
  async function refused(
    into: AcceptingSession,
    { asked, shown: wasShown }: AcceptAnswers,
    input: NonNullable<AcceptAnswers['gate']>,
  ): Promise<Consented> {
    const { reason, gateId } = input
    if (asked !== gateId) throw new AppError({ code: 'gate/not-open', gateId })
    const gate = shown(into.session.sessionId, gateId)
    if (gate !== null) await gates.answer(consentContext(into.session, into.root), input)
    return { verdict: { kind: 'refused', reason }, wanted: [], refusal: noRefusal, gate: gate ?? wasShown }
  }

  async function answered(
    into: AcceptingSession,
    asked: string | null,
    input: NonNullable<AcceptAnswers['gate']>,
  ): Promise<Consented | AcceptOutcome> {
    const { gateId } = input
    if (asked !== gateId) throw new AppError({ code: 'gate/not-open', gateId })
    const { sessionId } = into.session
    const gate = gates.view(sessionId, gateId)
    const answer = await gates.answer(consentContext(into.session, into.root), input)
    if (answer.kind === 'void') {
      if (answer.items !== null) return { step: 'gate', gate: gates.view(sessionId, gateId) }
      // A new plan finds the conflict that has closed the gate.
      throw new AppError({ code: 'file/changed', path: into.root })
    }
    if (answer.kind === 'rejected') {
      const { reason } = answer
      return { verdict: { kind: 'refused', reason }, wanted: [], refusal: noRefusal, gate }
    }
    // The approved call is that of the gate, without the refused hunks.
    const call = answer.calls[0] as StagedCall | undefined
    return {
      verdict: { kind: 'approved' },
      wanted: call?.wanted ?? [],
      refusal: call?.refusal ?? noRefusal,
      gate,
    }
  }

  function callOf(
    link: AcceptableLink,
    into: AcceptingSession,
    plan: AcceptancePlan,
    answers: AcceptAnswers,
  ): StagedCall {
    const { texts } = deps
    const spec = {
      callId: link.speculationId,
      title: clipLine(plan.wanted.map(({ path }) => path).join(', '), titleLength),
      files: plan.files,
      texts,
      async replan() {
        const now = await planAcceptance(folderOf(into), texts, link.overlay, answers.merged)
        return now.conflicts.length > 0 ? null : now.wanted
      },
    }
    return stagedCall(spec, plan.wanted)
  }

  return {
    /**
     * Errors: as `ChangeSets.apply`, before anything is done or with everything taken back (`file/disk-full`, …);
     * `gate/too-early`, `gate/not-open`.
     */
    accept(link: AcceptableLink, into: AcceptingSession, answers: AcceptAnswers): Promise<AcceptOutcome> {
      return inTurn(into.session.sessionId, () => accept(link, into, answers))
    },
    /** Returns what an acceptance now would do with the changes; asks and writes nothing itself. Errors: as `accept`. */
    async outlook(link: AcceptableLink, into: AcceptingSession): Promise<AcceptOutlook> {
      const plan = await planAcceptance(folderOf(into), deps.texts, link.overlay, [])
      if (plan.stale.paths.length > 0 || plan.conflicts.length > 0) return 'ask'
      if (plan.wanted.length === 0) return 'write'
      const call = callOf(link, into, plan, noAnswers)
      const [weighed] = await gates.weighStaged(consentContext(into.session, into.root), [call])
      return weighed === undefined ? 'write' : outlookOf[weighed.verdict.kind]
    },
  }
}
