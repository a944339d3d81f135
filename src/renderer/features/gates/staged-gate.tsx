import './gate-card.css'
import { useEffect, useRef } from 'react'
import type { GateView } from '../../../shared/domain/session/gate.ts'
import { useApp, useAppStore } from '../../state/store-context.tsx'
import { type GateFocus, OpenGate } from './open-gate.tsx'

/** The approval of a speculation: asked outside of the conversation, which contains nothing of it yet. */
export function StagedGate({ gate }: { gate: GateView }) {
  const store = useAppStore()
  const { see, settle } = useApp((app) => app.gates)
  const focus = useRef<GateFocus>({ cameFrom: null, isOwed: false })
  const { gateId } = gate
  useEffect(() => see(gate), [gate, see])
  useEffect(
    () => () => {
      settle(gateId)
      if (focus.current.isOwed) store.messageBox.current?.focus()
    },
    [gateId, settle, store],
  )
  return <OpenGate gate={gate} focus={focus} />
}
