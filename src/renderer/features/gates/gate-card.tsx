import './gate-card.css'
import { type RefObject, useEffect, useRef } from 'react'
import type { GateView } from '../../../shared/domain/session/gate.ts'
import type { GateConversationItem } from '../../../shared/domain/session/session-item.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Icon } from '../../ui/icon.tsx'
import { approvedPart, refusedCalls } from './gate-facts.ts'
import { type GateFocus, GateHeader, GateSubject, OpenGate, useGateTitle } from './open-gate.tsx'

type GateCardProps = { item: GateConversationItem; isFront: boolean }

/** A question for consent: in front it can be answered, behind another it waits, settled it is one line. */
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

type SettledGateProps = { item: GateConversationItem; focus: RefObject<GateFocus> }

/** One line with the decision and its subject. */
function SettledGate({ item, focus }: SettledGateProps) {
  const { t } = useWords()
  const store = useAppStore()
  const line = useRef<HTMLParagraphElement>(null)
  const refused = useRefusedPlaces(item)
  const approved = useApprovedCalls(item)
  const state = item.state === 'open' ? 'void' : item.state
  useEffect(() => {
    const { cameFrom, isOwed } = focus.current
    if (!isOwed) return
    focus.current = { cameFrom: null, isOwed: false }
    if (cameFrom?.isConnected) cameFrom.focus()
    else (store.messageBox.current ?? line.current)?.focus()
  }, [focus, store])
  return (
    <p ref={line} className={`gate-settled gate-settled-${state}`} tabIndex={-1}>
      <Icon name={state === 'approved' ? 'check' : 'close'} size={14} />
      <b>{t(`gate.settled.${state}`)}</b>
      <GateSubject gate={approved} />
      {state === 'approved' && refused > 0 && <span>{t('gate.settled.places', { count: refused })}</span>}
      {item.reason && <span className="clip">{t('gate.settled.reason', { reason: item.reason })}</span>}
    </p>
  )
}

/** Returns the gate without the calls that were left out of an approval, as their results tell it. */
function useApprovedCalls({ gate, state }: GateConversationItem): GateView {
  const refused = useApp(({ conversation }) =>
    refusedCalls(gate, conversation.current?.items ?? []).join(' '),
  )
  return state === 'approved' ? approvedPart(gate, refused.split(' ')) : gate
}

/** Counts the refused places of a gate, from the results of its calls. */
function useRefusedPlaces({ gate }: GateConversationItem): number {
  return useApp((state) => {
    let count = 0
    for (const item of state.conversation.current?.items ?? []) {
      if (item.kind !== 'call' || item.view?.kind !== 'change') continue
      if (gate.calls.some((call) => call.callId === item.callId)) count += item.view.refusedHunks
    }
    return count
  })
}

/** A gate behind another one: shows its question, and that it is not its turn yet. */
function WaitingGate({ gate }: { gate: GateView }) {
  const { t } = useWords()
  const title = useGateTitle(gate)
  return (
    <section className="gate gate-waiting" aria-label={t('gate.region', { title })}>
      <GateHeader gate={gate} hasSubject />
      <p className="gate-note">{t('gate.waits')}</p>
    </section>
  )
}

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
