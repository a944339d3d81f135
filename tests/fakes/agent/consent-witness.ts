import type { AgentEffect, AgentEvent } from '../../../src/main/agent/agent-events.ts'

type Item = { callId: string; hash: string }

/**
 * Watches a session from outside and keeps its own record of every consent, by whom and for which hash: reads events
 * and effects, never the machine's state.
 */
export type ConsentWitness = {
  /** Returns the violations in the effects of this event; empty when all were allowed. */
  watch(event: AgentEvent, effects: readonly AgentEffect[]): string[]
  /** Effects seen that touch the world. */
  worldEffects(): number
}

export function watchConsent(): ConsentWitness {
  /** The calls of the last answer, and what each call would do as it was last asked or shown. */
  const proposed = new Map<string, string>()
  const asked = new Map<string, string>()
  const shown = new Map<string, readonly Item[]>()
  const consented = new Map<string, string>()
  let seen = 0

  const isShown = (callId: string) => [...shown.values()].flat().some((item) => item.callId === callId)
  const readEvent = (event: AgentEvent): void => {
    if (event.type === 'model.called') {
      proposed.clear()
      for (const call of event.calls)
        if ('hash' in call && !proposed.has(call.callId)) proposed.set(call.callId, call.hash)
    }
    // A call that was consented to in a speculation, or in another folder, needs a new consent here.
    if (event.type === 'staged.accepted') for (const callId of proposed.keys()) consented.delete(callId)
    if (event.type === 'turn.adopted') {
      for (const list of [proposed, asked, consented]) list.clear()
      for (const call of event.calls) if ('hash' in call) proposed.set(call.callId, call.hash)
    }
    if (event.type === 'consent.granted') {
      for (const { callId, hash } of event.records)
        if (asked.get(callId) === hash && !isShown(callId)) consented.set(callId, hash)
    }
    if (event.type === 'gate.approved') {
      const items = shown.get(event.gateId)
      const isWhole = items?.every((item) =>
        event.answers.some((answer) => answer.callId === item.callId && answer.shownHash === item.hash),
      )
      if (isWhole !== true) return
      for (const answer of event.answers) {
        const isAsShown = answer.hash === answer.shownHash || answer.isPartial
        if (answer.hash !== null && isAsShown) consented.set(answer.callId, answer.hash)
      }
      shown.delete(event.gateId)
    }
    if (event.type === 'gate.rejected' || (event.type === 'gate.void' && event.items === null)) {
      for (const item of shown.get(event.gateId) ?? []) consented.delete(item.callId)
      shown.delete(event.gateId)
    }
  }
  const readEffect = (effect: AgentEffect): string[] => {
    switch (effect.type) {
      case 'consent.ask':
        for (const callId of effect.callIds)
          asked.set(callId, asked.get(callId) ?? proposed.get(callId) ?? '')
        return []
      case 'gate.request':
        asked.set(effect.callId, effect.hash)
        return []
      case 'gate.show':
        shown.set(effect.gate.gateId, effect.gate.items)
        for (const { callId, hash } of effect.gate.items) {
          asked.set(callId, hash)
          consented.delete(callId)
        }
        return []
      case 'gate.withdraw':
        for (const item of shown.get(effect.gateId) ?? []) consented.delete(item.callId)
        shown.delete(effect.gateId)
        return []
      case 'call.result':
        consented.delete(effect.callId)
        if (effect.outcome !== 'duplicate') asked.delete(effect.callId)
        return []
      case 'call.run':
        return readWorldEffect(effect.callId, effect.record)
      default:
        return []
    }
  }
  const readWorldEffect = (callId: string, record: Item): string[] => {
    seen += 1
    const problems: string[] = []
    if (record.callId !== callId) problems.push(`${callId}: the record names ${record.callId}`)
    if (consented.get(callId) !== record.hash) problems.push(`${callId}: nobody consented to ${record.hash}`)
    consented.delete(callId)
    asked.delete(callId)
    return problems
  }
  return {
    watch(event, effects) {
      const isIgnored = effects.some(({ type }) => type === 'notice') && effects.length === 1
      const isTaking = event.type === 'staged.accepted' || event.type === 'turn.adopted'
      if (!(isIgnored && isTaking)) readEvent(event)
      return effects.flatMap(readEffect)
    },
    worldEffects: () => seen,
  }
}
