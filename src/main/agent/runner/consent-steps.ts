import type { ConsentFinding, GateContext } from '../../gates/gate-service.ts'
import type { AgentEvent } from '../agent-events.ts'
import type { CallRegistry } from './call-registry.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** What needs consent, asked for and told to the machine. */
export class ConsentSteps {
  readonly #deps: RunnerDeps
  readonly #calls: CallRegistry
  readonly #context: () => GateContext
  readonly #dispatch: (event: AgentEvent) => void
  #isHearing = false

  constructor(
    deps: RunnerDeps,
    calls: CallRegistry,
    context: () => GateContext,
    dispatch: (event: AgentEvent) => void,
  ) {
    this.#deps = deps
    this.#calls = calls
    this.#context = context
    this.#dispatch = dispatch
  }

  /** True while the machine hears of records: what begins now was judged just now. */
  get isHearing(): boolean {
    return this.#isHearing
  }

  async askCalls(callIds: readonly string[]): Promise<void> {
    const { consent, session } = this.#deps
    const calls = this.#calls.prepared(callIds)
    const { rationale } = session.state.turn
    this.#heard(await consent.ask(this.#context(), calls, rationale))
  }

  async askGate(kind: 'plan' | 'apply'): Promise<void> {
    const { consent, session, onStagedApproved } = this.#deps
    const { plan } = session.state
    // A fork's changes are asked about when it is taken in.
    if (kind === 'apply' && onStagedApproved !== undefined) return onStagedApproved()
    if (kind === 'apply' || plan === null) throw new Error(`a gate for ${kind} with nothing to ask about`)
    this.#heard(await consent.askPlan(this.#context(), plan))
  }

  #heard({ records, denied, gates }: ConsentFinding): void {
    const { consent, session } = this.#deps
    this.#isHearing = true
    if (records.length > 0) this.#dispatch({ type: 'consent.granted', records })
    this.#isHearing = false
    for (const { callId, reason } of denied)
      this.#dispatch({ type: 'consent.denied', callIds: [callId], reason })
    for (const gate of gates) {
      this.#dispatch({ type: 'gate.opened', gate })
      // What it asks about was ended meanwhile: nobody sees it, and it would stand before all others.
      const isOpen = session.state.gates.some(({ gateId }) => gateId === gate.gateId)
      if (!isOpen) consent.withdraw(session.sessionId, gate.gateId)
    }
  }
}
