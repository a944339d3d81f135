import type { AgentGate } from '../../../shared/domain/session/agent-consent.ts'
import type { GateConversationItem } from '../../../shared/domain/session/session-item.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Gates as items of the conversation. */
export class GateItems {
  readonly #deps: RunnerDeps
  readonly #items = new Map<string, string>()

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  /** Shows a gate, or shows again what it asks now. */
  show({ gateId }: AgentGate): void {
    const { session, consent, events } = this.#deps
    events.gateOpened()
    const gate = consent.view(session.sessionId, gateId)
    const itemId = this.#find(gateId)
    if (itemId !== undefined) session.change(itemId, 'gate', { gate, state: 'open' })
    else this.#items.set(gateId, session.add({ kind: 'gate', gate, state: 'open', reason: null }).itemId)
  }

  settle(gateId: string, state: GateConversationItem['state'], reason: string | null): void {
    const itemId = this.#find(gateId)
    if (itemId !== undefined) this.#deps.session.change(itemId, 'gate', { state, reason })
  }

  #find(gateId: string): string | undefined {
    const known = this.#items.get(gateId)
    if (known !== undefined) return known
    return this.#deps.session.itemsAbout('gate', gateId)[0]?.itemId
  }
}
