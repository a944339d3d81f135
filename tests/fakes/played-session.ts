import type { AgentEffect } from '../../src/main/agent/agent-effects.ts'
import type { AgentEvent, ProposedCall } from '../../src/main/agent/agent-events.ts'
import { step } from '../../src/main/agent/agent-machine.ts'
import { agentWords } from '../../src/main/agent/model/prompt/agent-words.ts'
import type { PreparedCall } from '../../src/main/tools/prepared-call.ts'
import type { AgentDecision } from '../../src/shared/domain/session/agent-decision.ts'
import { type AgentTalk, prompts } from './agent-talk.ts'
import { runCall, type ToolRig } from './tool-rig.ts'

/** How a test answers for the user: whether the calls of a gate may run. */
export type Consent = (tools: string[]) => boolean

/** A session with real tools, its machine and its model; whoever consents is the test. */
export class PlayedSession {
  readonly talk: AgentTalk
  readonly rig: ToolRig
  readonly decisions: AgentDecision[] = []
  /** Every call as `tool: outcome`. */
  readonly calls: string[] = []
  readonly replies: string[] = []
  readonly #consent: Consent
  readonly #prepared = new Map<string, PreparedCall>()
  #gates = 0

  constructor(talk: AgentTalk, rig: ToolRig, consent: Consent = () => true) {
    this.talk = talk
    this.rig = rig
    this.#consent = consent
  }

  /** One message and all that it leads to. */
  async say(text: string): Promise<void> {
    this.talk.say(text)
    await this.#send({ type: 'user.message', text })
  }

  async #send(event: AgentEvent): Promise<void> {
    const { state, effects } = step(this.talk.state, event)
    this.talk.state = state
    for (const effect of effects) await this.#perform(effect)
  }

  async #perform(effect: AgentEffect): Promise<void> {
    const { talk } = this
    switch (effect.type) {
      case 'model.decide': {
        const { decision } = await talk.decide()
        this.decisions.push(decision)
        return this.#send({ type: 'model.decided', requestId: effect.requestId, decision })
      }
      case 'model.reply': {
        const { text } = await talk.reply(effect.kind, effect.about)
        this.replies.push(text)
        return this.#send({ type: 'reply.finished', requestId: effect.requestId })
      }
      case 'model.work': {
        const { calls } = await talk.work(effect.step)
        if (calls.length === 0) return this.#send({ type: 'work.finished', requestId: effect.requestId })
        const proposed = await this.#propose(calls)
        return this.#send({ type: 'model.called', requestId: effect.requestId, calls: proposed })
      }
      case 'consent.ask':
        return this.#ask(effect.callIds)
      case 'call.run': {
        const call = this.#prepared.get(effect.callId)
        if (call === undefined) throw new Error('a call that was never prepared')
        const result = await runCall(call)
        this.calls.push(`${call.tool}: ${result.isOk ? 'ok' : result.text}`)
        talk.result(effect.callId, result.text)
        return this.#send({ type: 'call.finished', callId: effect.callId, isOk: result.isOk })
      }
      case 'call.result': {
        const text = agentWords(prompts[talk.language]).outcome(effect.outcome, effect.reason)
        const name = talk.log
          .flatMap((entry) => entry.calls ?? [])
          .find((call) => call.callId === effect.callId)
        this.calls.push(`${name?.name}: ${effect.outcome}`)
        talk.result(effect.callId, text)
        return
      }
      default:
        // Nothing of the rest happens here, or it is for the window.
        return
    }
  }

  async #propose(calls: { callId: string; name: string; args: string }[]): Promise<ProposedCall[]> {
    const read = await this.rig.toolbox.prepare(calls)
    return read.map((one): ProposedCall => {
      if (one.kind === 'session') return one.call
      if (one.kind === 'invalid') {
        this.calls.push(`invalid: ${one.reason}`)
        return { kind: 'invalid', callId: one.callId }
      }
      if (one.kind === 'boundary') throw new Error('a boundary outside of a speculation')
      const { callId, access, isReadOnly, hash } = one.call
      this.#prepared.set(callId, one.call)
      return { kind: 'world', callId, access, isReadOnly, hash }
    })
  }

  /** Reads pass; all else is one gate. */
  async #ask(callIds: readonly string[]): Promise<void> {
    const calls = callIds.flatMap((callId) => this.#prepared.get(callId) ?? [])
    const reads = calls.filter(({ access }) => access === 'read')
    const items = calls
      .filter(({ access }) => access !== 'read')
      .map(({ callId, hash }) => ({ callId, hash }))
    if (reads.length > 0) {
      const records = reads.map(({ callId, hash }) => ({ callId, hash, by: 'rule' as const, name: 'scope' }))
      await this.#send({ type: 'consent.granted', records })
    }
    if (items.length === 0) return
    this.#gates += 1
    const gateId = `gate ${this.#gates}`
    await this.#send({ type: 'gate.opened', gate: { gateId, kind: 'calls', items } })
    const tools = items.map(({ callId }) => this.#prepared.get(callId)?.tool ?? '')
    const answers = items.map((item) => ({ ...item, shownHash: item.hash, isPartial: false }))
    if (this.#consent(tools)) await this.#send({ type: 'gate.approved', gateId, answers })
    else await this.#send({ type: 'gate.rejected', gateId, reason: 'not now' })
  }
}
