import { type RefObject, useEffect, useRef } from 'react'
import type { GateView } from '../../../shared/domain/session/gate.ts'
import type { GateConversationItem } from '../../../shared/domain/session/session-item.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Icon } from '../../ui/icon.tsx'
import { approvedPart, refusedCalls } from './gate-facts.ts'
import { GateSubject } from './gate-subject.tsx'
import type { GateFocus } from './open-gate.tsx'

type SettledGateProps = { item: GateConversationItem; focus: RefObject<GateFocus> }

/** One line with the decision and its subject. */
export function SettledGate({ item, focus }: SettledGateProps) {
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

/** The gate without the calls that were left out of an approval, as their results tell it. */
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
