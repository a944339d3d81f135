import type { TurnEnd } from '../../shared/domain/session/agent-state.ts'
import type { GateAnswerInput } from '../../shared/domain/session/gate.ts'
import {
  noSpeculation,
  type SpeculationDecision,
  type SpeculationEnded,
  type SpeculationEvent,
  type SpeculationPause,
  type SpeculationState,
} from '../../shared/domain/session/speculation.ts'
import { AppError, isAppError } from '../../shared/errors.ts'
import type { GateService } from '../gates/gate-service.ts'
import { type Broadcast, createBroadcast } from '../platform/broadcast.ts'
import type { SpeculationRepository } from '../store/sessions/speculation-repository.ts'
import type { AcceptAnswers, AcceptOutcome, AcceptOutlook } from './accept/acceptable-link.ts'
import type { FileTexts } from './accept/acceptance-plan.ts'
import { LinkAcceptance } from './accept/link-acceptance.ts'
import { previewOfFiles } from './accept/staged-call.ts'
import { FollowingSuggestion } from './following-suggestion.ts'
import { PendingWork } from './pending-work.ts'
import { endedSpeculation, SpeculationLink } from './speculation-link.ts'
import type { SpeculationRun } from './speculation-run.ts'
import {
  type BegunRun,
  isOtherText,
  SpeculationStarts,
  type SpeculationStartsDeps,
  type WantedRun,
} from './speculation-starts.ts'

export type SpeculationCoordinatorDeps = Pick<SpeculationStartsDeps, 'clock' | 'random' | 'log' | 'start'> & {
  events: Pick<SpeculationRepository, 'add' | 'change'>
  /** Returns the switches of the app and of the session's folder, combined. */
  settings(sessionId: string): { isOn: boolean; isChained: boolean }
  pause(): SpeculationPause | null
  /** Called when a finished speculation was decided on: too few acceptances may pause speculation. */
  judged(): void
  /** Suggests what the user may type after the speculation; null: no suggestion passes the filters. */
  suggest(run: SpeculationRun, signal: AbortSignal): Promise<string | null>
  /** Errors: as `Acceptance.accept`. */
  accept(sessionId: string, link: SpeculationLink, answers: AcceptAnswers): Promise<AcceptOutcome>
  gates: Pick<GateService, 'withdraw'>
  /** Returns what the link's acceptance would do. Errors: as `accept`. */
  outlook(sessionId: string, link: SpeculationLink): Promise<AcceptOutlook>
  /** Called when a speculation is in the session, whose model goes on from there, as its turn may. */
  adopted(sessionId: string, run: SpeculationRun, outcome: Extract<AcceptOutcome, { step: 'accepted' }>): void
  /** Called when an acceptance is over, and the turn that it brought has ended. */
  turnEnded(sessionId: string, how: TurnEnd): void
  texts: FileTexts
  /** Called when an acceptance begins or ceases to wait for the user. */
  askingChanged(sessionId: string): void
}

/** Commands (`/`, `!`) are not run: only the user gives them. */
const isNoPlainMessage = /^\s*[/!]/
const mostLinks = 2

/** The speculations of one session: begun when a suggestion is shown, dropped when a guard closes. */
export class SpeculationCoordinator {
  readonly #deps: SpeculationCoordinatorDeps
  readonly #sessionId: string
  readonly #changes: Broadcast<SpeculationState> = createBroadcast()
  readonly #work = new PendingWork((error) => this.#heard(error, 'speculation'))
  #links: SpeculationLink[] = []
  #dropped: string | null = null
  #wasAsking = false
  #lastAccepted: string | null = null
  #ended: SpeculationEnded | null = null
  readonly #starts: SpeculationStarts
  /** The suggestion that follows the speculation accepted last, until something else is suggested. */
  #behind: FollowingSuggestion | null = null
  /** The end of the speculations dropped last, which may still use the model. */
  #dropping: Promise<unknown> = Promise.resolve()

  constructor(deps: SpeculationCoordinatorDeps, sessionId: string) {
    this.#deps = deps
    this.#sessionId = sessionId
    this.#starts = new SpeculationStarts({
      ...deps,
      sessionId,
      mayBegin: () => this.#mayBegin() && this.#links.length === 0,
      onChange: () => this.tell(),
      begun: (run) => this.#begun(run),
      track: (work) => this.#work.track(work),
    })
  }

  get isIdle(): boolean {
    return this.#links.length === 0 && this.#starts.isIdle && this.#work.isOver
  }

  /** True from an acceptance to its outcome: nothing else is suggested meanwhile. */
  get isAccepting(): boolean {
    return this.#links.some(({ acceptance }) => acceptance.isUnderWay)
  }

  /** True while an acceptance waits for the user's answer. */
  get isAsking(): boolean {
    return this.#links.some(({ acceptance }) => acceptance.isAsking)
  }

  async *watch(signal: AbortSignal): AsyncGenerator<SpeculationState, void, void> {
    const next = this.#changes.subscribe(signal)
    yield this.#state()
    yield* next
  }

  /** Called when a suggestion is shown. Returns whether a speculation runs for it. */
  async offered(suggestionId: string, text: string): Promise<boolean> {
    // The next suggestion is known when the acceptance is over.
    if (this.isAccepting) return true
    const [first] = this.#links
    if (first?.text === text) {
      first.suggestionId = suggestionId
      this.#deps.events.change(first.speculationId, { suggestionId })
      this.tell()
      return true
    }
    this.withdrawn('superseded')
    if (isNoPlainMessage.test(text) || !this.#mayBegin()) return false
    return this.#starts.offer({ suggestionId, text, onto: null })
  }

  /** Drops all links: a guard has closed, or the user goes on without them. */
  withdrawn(reason: string): void {
    this.#behind?.end()
    this.#behind = null
    if (reason === 'run_active' && this.#ended !== null) {
      this.#ended = null
      this.tell()
    }
    if (this.isAccepting) return
    this.#starts.stop()
    const [first] = this.#links
    if (first !== undefined) this.#dropFrom(first, 'aborted', reason)
  }

  /** Ends a run for a ghost that cannot be seen, since the message box has another text; it is tried again later. */
  written(message: string): void {
    const [first] = this.#links
    if (first === undefined || first.run.end !== null || !isOtherText(message, first.text)) return
    const { suggestionId, text } = first
    this.withdrawn('typed')
    if (!this.#has(first)) this.#starts.retry({ suggestionId, text, onto: null })
  }

  /** Checks the switches, the pause and what acceptances would ask again, which may have changed. */
  revalidate(): void {
    const { isOn } = this.#deps.settings(this.#sessionId)
    if (!isOn || this.#deps.pause() !== null) this.withdrawn(isOn ? 'paused' : 'setting_off')
    for (const link of this.#links) if (link.hasStopped) void this.#work.track(this.#checkOutlook(link))
    this.tell()
  }

  /** Interrupts running links, because the model or the user's answer is needed. Finished links stay. */
  interrupt(): void {
    this.#starts.interrupt()
    for (const { run, following } of this.#links) {
      following.end()
      if (run.end === null) run.interrupt()
    }
  }

  /** Returns, once, the suggestion that was made or is being made to follow the present end of the session. */
  takeNext(): string | Promise<string | null> | null {
    return this.#behind?.take() ?? null
  }

  /** Begins an acceptance. False where another window was first, or the link is gone, or stands on another one. */
  accept(speculationId: string): boolean {
    const [first] = this.#links
    return first?.speculationId === speculationId && first.acceptance.begin()
  }

  /** True for a speculation that is being accepted, or was accepted last. */
  isAccepted(speculationId: string): boolean {
    const link = this.#links.find((one) => one.speculationId === speculationId)
    return link === undefined ? this.#lastAccepted === speculationId : link.acceptance.isUnderWay
  }

  /** Errors: `gate/not-open`, `gate/too-early`. */
  async decide(speculationId: string, decision: SpeculationDecision): Promise<boolean> {
    const link = this.#links.find((one) => one.speculationId === speculationId)
    return link === undefined ? false : link.acceptance.decide(decision)
  }

  /** Answers the gate of an acceptance. False where no acceptance asks by this gate. Errors: as `decide`. */
  async answerGate(answer: GateAnswerInput): Promise<boolean> {
    const link = this.#links.find(
      ({ acceptance: { shown } }) => shown?.step === 'gate' && shown.gate.gateId === answer.gateId,
    )
    return link === undefined ? false : link.acceptance.decide({ kind: 'gate', answer })
  }

  /** Gives up a speculation whose acceptance waits, because the user goes on with something else. */
  async leave(): Promise<void> {
    const link = this.#links.find(({ acceptance }) => acceptance.isUnderWay)
    if (link === undefined) return
    await link.acceptance.close()
    this.#dropFrom(link, 'rejected', 'left')
  }

  /** Runs a suggestion again. False where there is no such speculation. Errors: `speculation/busy`. */
  async rerun(speculationId: string): Promise<boolean> {
    const link = this.#links.find((one) => one.speculationId === speculationId)
    const ended = this.#ended
    if (link !== undefined && !link.acceptance.isUnderWay) return this.#work.track(this.#again(link))
    if (ended?.speculationId !== speculationId) return false
    return this.#work.track(this.#anew({ suggestionId: '', text: ended.text, onto: null }))
  }

  /** Returns the result of a speculation so far; null where it is gone. */
  preview(speculationId: string) {
    const run = this.#links.find((one) => one.speculationId === speculationId)?.run
    return run === undefined ? null : { ...previewOfFiles(this.#deps.texts, run.files), items: run.items }
  }

  reject(speculationId: string): boolean {
    if (this.#ended?.speculationId === speculationId) {
      this.#ended = null
      this.tell()
      return true
    }
    const link = this.#links.find((one) => one.speculationId === speculationId)
    if (link === undefined || this.isAccepting) return false
    this.#dropFrom(link, 'rejected', null)
    return true
  }

  tell(): void {
    const { isAsking } = this
    if (isAsking !== this.#wasAsking) this.#deps.askingChanged(this.#sessionId)
    this.#wasAsking = isAsking
    this.#changes.send(this.#state())
  }

  /** Drops all links, and waits until they have ended. */
  async close(): Promise<void> {
    for (const { acceptance } of this.#links) await acceptance.close()
    this.withdrawn('session_closed')
    await this.#work.settled()
    this.#changes.end()
  }

  #state(): SpeculationState {
    const links = this.#links.map((link) => link.view(this.#deps.texts))
    return { ...noSpeculation, links, dropped: this.#dropped, ended: this.#ended, pause: this.#deps.pause() }
  }

  #mayBegin(): boolean {
    return this.#deps.settings(this.#sessionId).isOn && this.#deps.pause() === null
  }

  #begun({ run, ...wanted }: BegunRun): void {
    const played = run.play().catch((error: unknown) => this.#heard(error, 'speculation.play'))
    const link = new SpeculationLink({
      ...wanted,
      run,
      depth: wanted.onto === null ? 0 : wanted.onto.depth + 1,
      following: new FollowingSuggestion(
        played.then(() => run.end === 'completed'),
        (signal) =>
          this.#deps.suggest(run, signal).catch((error: unknown) => {
            this.#heard(error, 'speculation.suggest')
            return null
          }),
      ),
      acceptance: (made) => this.#acceptanceOf(made),
    })
    this.#links.push(link)
    this.#dropped = null
    this.#ended = null
    this.#deps.events.add(link.event(this.#sessionId, this.#deps.clock.now()))
    void this.#work.track(this.#follow(link, played))
    this.tell()
  }

  #acceptanceOf(link: SpeculationLink): LinkAcceptance {
    const { accept, gates } = this.#deps
    return new LinkAcceptance({
      halt: () => link.run.halt(),
      accept: (answers) => accept(this.#sessionId, link, answers),
      withdraw: (gateId) => gates.withdraw(this.#sessionId, gateId),
      tell: () => this.tell(),
      left: () => this.revalidate(),
      accepted: (outcome) => this.#accepted(link, outcome),
      lost: () => this.#dropFrom(link, 'aborted', 'lost'),
      bug: (error) => this.#heard(error, 'speculation.accept'),
      rerun: () => void this.#work.track(this.#again(link)).catch(() => undefined),
    })
  }

  /** Follows a link to its end and beyond. An acceptance may begin and end at any moment meanwhile. */
  async #follow(link: SpeculationLink, played: Promise<void>): Promise<void> {
    await played
    const { run } = link
    if (!this.#has(link) || run.end === 'halted') return
    if (run.end === 'failed') return this.#dropFrom(link, 'failed', run.failure?.code ?? 'failed')
    const outcome = run.end === 'completed' ? 'completed' : 'boundary'
    this.#deps.events.change(link.speculationId, { ...link.facts(), outcome })
    this.tell()
    await Promise.all([this.#checkOutlook(link), this.#chain(link)])
  }

  /** Finds out what the link's acceptance would do, for its mark in the window. */
  async #checkOutlook(link: SpeculationLink): Promise<void> {
    const check = this.#deps.outlook(this.#sessionId, link)
    link.outlookCheck = check
    try {
      const outlook = await check
      if (link.outlookCheck === check) link.outlook = outlook
    } catch (error) {
      // Dropping the run meanwhile makes reading it fail.
      if (this.#has(link)) this.#heard(error, 'speculation.outlook')
    }
    if (this.#has(link)) this.tell()
  }

  /** Waits for the following suggestion and, where the user wants chains, starts its run on top of the link. */
  async #chain(link: SpeculationLink): Promise<void> {
    const next = await link.following.made
    if (next === null || !this.#has(link)) return
    this.#deps.events.change(link.speculationId, { ...link.facts() })
    this.tell()
    const { isChained } = this.#deps.settings(this.#sessionId)
    const isLast = link === this.#links.at(-1) && this.#links.length < mostLinks
    if (!isChained || !isLast || link.acceptance.isUnderWay || isNoPlainMessage.test(next)) return
    await this.#starts.begin({ suggestionId: '', text: next, onto: link })
  }

  #accepted(link: SpeculationLink, outcome: Extract<AcceptOutcome, { step: 'accepted' }>): void {
    const { isAltered, isRefused, how, refusedHunks } = outcome
    const verdict = isRefused
      ? { outcome: 'rejected' as const, reason: 'refused' }
      : { outcome: 'accepted' as const, reason: null }
    this.#lastAccepted = link.speculationId
    this.#deps.adopted(this.#sessionId, link.run, outcome)
    void this.#work.track(link.run.abort())
    const isWhole = link.run.end === 'completed' && !isAltered && !isRefused && how !== null
    this.#links = this.#links.filter((other) => other !== link)
    const [onTop] = this.#links
    if (!isWhole) {
      link.following.end()
      // A run on top of the link may be starting.
      this.#starts.stop()
      if (onTop !== undefined) this.#dropFrom(onTop, 'aborted', 'superseded')
    }
    this.#behind = isWhole ? link.following : null
    this.#deps.events.change(link.speculationId, { ...link.facts(), ...verdict, refusedHunks })
    if (link.isFinished) this.#deps.judged()
    this.#dropped = verdict.outcome
    this.tell()
    if (how !== null) this.#deps.turnEnded(this.#sessionId, how)
  }

  /** Drops a link and runs its suggestion again, on the present state. */
  #again(link: SpeculationLink): Promise<boolean> {
    const { suggestionId, text, speculationId } = link
    this.#dropFrom(link, 'aborted', 'rerun')
    this.#ended = { speculationId, text, reason: 'rerun', error: null }
    return this.#anew({ suggestionId, text, onto: null })
  }

  /** Starts a run again. Errors: `speculation/busy`; what is shown of the previous run stays. */
  async #anew(wanted: WantedRun): Promise<boolean> {
    await this.#dropping
    const mayBegin = this.#mayBegin() && this.#links.length === 0
    if (mayBegin && (await this.#starts.begin(wanted))) return true
    this.tell()
    throw new AppError({ code: 'speculation/busy' })
  }

  /** Drops a link and all on top of it. */
  #dropFrom(link: SpeculationLink, outcome: SpeculationEvent['outcome'], reason: string | null): void {
    const from = this.#links.indexOf(link)
    if (from < 0) return
    this.#starts.stop()
    const gone = this.#links.splice(from)
    this.#dropped = reason ?? outcome
    this.#ended = endedSpeculation(link, outcome, reason) ?? this.#ended
    const ending = gone.toReversed().map((one) => {
      const why = one === link ? { outcome, reason } : { outcome: 'aborted' as const, reason: 'superseded' }
      this.#deps.events.change(one.speculationId, { ...one.facts(), ...why })
      if (one.isFinished) this.#deps.judged()
      one.following.end()
      return this.#work.track(one.run.abort())
    })
    this.#dropping = Promise.allSettled([...ending, ...gone.map(({ following }) => following.made)])
    this.tell()
  }

  #has(link: SpeculationLink): boolean {
    return this.#links.includes(link)
  }

  #heard(error: unknown, where: string): void {
    if (isAppError(error)) this.#deps.log.write('info', where, { error: error.info.code })
    else this.#deps.log.bug(error, where)
  }
}
