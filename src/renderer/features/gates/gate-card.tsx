import './gate-card.css'
import { useEffect, useRef } from 'react'
import type { GateConversationItem } from '../../../shared/domain/session/session-item.ts'
import { useApp, useAppStore } from '../../state/store-context.tsx'
import { type GateFocus, OpenGate } from './open-gate.tsx'
import { SettledGate } from './settled-gate.tsx'
import { WaitingGate } from './waiting-gate.tsx'

type GateCardProps = { item: GateConversationItem; isFront: boolean }

/**
 * A question for consent in the conversation: in front it can be answered, behind another one it waits, and once
 * it is settled one line says what was decided.
 */
export function GateCard({ item, isFront }: GateCardProps) {
  const { gate, state } = item
  const { see, settle } = useApp((app) => app.gates)
  const focus = useRef<GateFocus>({ cameFrom: null, isOwed: false })
  const isSettled = state !== 'open' && state !== 'void'

  useEffect(() => {
    if (isSettled) settle(gate.gateId)
    else see(gate)
  }, [isSettled, gate, see, settle])

  // The rows of its calls show an approved gate: its own line is removed, and the focus goes back if that is due.
  const store = useAppStore()
  const { gateId } = gate
  useEffect(() => {
    return () => {
      const { items = [] } = store.getState().conversation.current ?? {}
      const now = items.find((one) => one.kind === 'gate' && one.gate.gateId === gateId)
      if (now?.kind !== 'gate' || now.state !== 'approved') return
      settle(gateId)
      const { cameFrom, isOwed } = focus.current
      focus.current = { cameFrom: null, isOwed: false }
      if (isOwed) (cameFrom?.isConnected ? cameFrom : store.messageBox.current)?.focus()
    }
  }, [store, gateId, settle])

  if (state !== 'open') return <SettledGate item={item} focus={focus} />
  if (!isFront) return <WaitingGate gate={gate} />
  return <OpenGate gate={gate} focus={focus} />
}
