import { resolve } from 'node:path'
import type { GateItem } from '../../shared/domain/session/agent-consent.ts'
import { AppError } from '../../shared/errors.ts'
import { createKeyedQueue } from '../../shared/serial-queue.ts'
import type { Clock, Log } from '../deps.ts'
import type { StopWatching } from '../platform/files/file-watcher.ts'
import type { PreparedCall } from '../tools/prepared-call.ts'
import { itemsOf, type OpenGate } from './open-gate.ts'
import { pathsOf } from './risk/risk.ts'

/** Result of checking a gate's files again. `void`: this closed the gate; `gone`: it was closed meanwhile. */
export type Renewal = 'same' | 'changed' | 'void' | 'gone'

type VoidListener = (sessionId: string, gateId: string, items: GateItem[] | null) => void

type GateQueueDeps = {
  clock: Clock
  log: Log
  watchFile(path: string, onChange: () => void): StopWatching
  /** Replaces the calls that the gate shows. */
  show(gate: OpenGate, calls: readonly PreparedCall[]): Promise<void>
  /** Records that what the gate asked about no longer applies. */
  noteVoid(gate: OpenGate): void
}

/** The open gates of all sessions, in the order in which they were opened. */
export class GateQueue {
  readonly #deps: GateQueueDeps
  readonly #gates = new Map<string, OpenGate>()
  readonly #listeners = new Set<VoidListener>()
  /** The last check of each gate. They run one after the other: two at once would overwrite what is shown. */
  readonly #inTurn = createKeyedQueue<OpenGate>()

  constructor(deps: GateQueueDeps) {
    this.#deps = deps
  }

  add(gate: OpenGate): OpenGate {
    this.#gates.set(gate.gateId, gate)
    this.#watch(gate)
    return gate
  }

  of(sessionId: string): OpenGate[] {
    return [...this.#gates.values()].filter((gate) => gate.sessionId === sessionId)
  }

  /** Errors: `gate/not-open`. */
  get(sessionId: string, gateId: string): OpenGate {
    const gate = this.#gates.get(gateId)
    if (gate?.sessionId !== sessionId) throw new AppError({ code: 'gate/not-open', gateId })
    return gate
  }

  isOpen(gate: OpenGate): boolean {
    return this.#gates.get(gate.gateId) === gate
  }

  close(gate: OpenGate): void {
    gate.stopWatching()
    if (this.isOpen(gate)) this.#gates.delete(gate.gateId)
  }

  closeAll(): void {
    for (const gate of [...this.#gates.values()]) this.close(gate)
    this.#listeners.clear()
  }

  onVoid(listener: VoidListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Checks the files of a gate again, and shows what would be done now. */
  renew(gate: OpenGate): Promise<Renewal> {
    return this.#inTurn(gate, () => this.#renew(gate))
  }

  async #renew(gate: OpenGate): Promise<Renewal> {
    if (!this.isOpen(gate)) return 'gone'
    const old = gate.assessments.map(({ call }) => call)
    const renewed: PreparedCall[] = []
    // In order: a later edit is based on the result of an earlier one.
    for (const call of old) {
      const now = await call.renew().catch((error: unknown) => {
        // An answered call may have been carried out meanwhile, and have nothing left to examine.
        if (this.isOpen(gate)) throw error
      })
      if (!this.isOpen(gate)) return 'gone'
      if (now == null) {
        this.#deps.noteVoid(gate)
        this.close(gate)
        return 'void'
      }
      renewed.push(now)
    }
    if (renewed.every((call, index) => call.hash === old[index]?.hash)) return 'same'
    this.#deps.noteVoid(gate)
    await this.#deps.show(gate, renewed)
    if (!this.isOpen(gate)) return 'gone'
    gate.renewedAt = this.#deps.clock.now()
    this.#watch(gate)
    return 'changed'
  }

  #watch(gate: OpenGate): void {
    gate.stopWatching()
    const paths = new Set(gate.assessments.flatMap(({ files }) => files.flatMap(pathsOf)))
    const stops = [...paths].map((path) =>
      this.#deps.watchFile(resolve(gate.context.root, path), () => void this.#changed(gate)),
    )
    gate.stopWatching = () => {
      for (const stop of stops) stop()
    }
  }

  async #changed(gate: OpenGate): Promise<void> {
    try {
      const found = await this.renew(gate)
      // Whoever closed the gate otherwise has reported it.
      if (found === 'same' || found === 'gone') return
      const items = found === 'void' ? null : itemsOf(gate)
      for (const listener of [...this.#listeners]) listener(gate.sessionId, gate.gateId, items)
    } catch (error) {
      this.#deps.log.bug(error, 'gate.watch')
    }
  }
}
