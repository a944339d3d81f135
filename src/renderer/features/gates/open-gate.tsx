import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { GateAnswerInput, GateView } from '../../../shared/domain/session/gate.ts'
import { gateKey, newGateChoices } from '../../state/slices/session/gates-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { GateActions } from './gate-actions.tsx'
import { GateCallSection } from './gate-call.tsx'
import { gateAnswer, gateBlocks, gateSubject, gateTitle, isChosen, readingMs } from './gate-facts.ts'
import { SharedFileSection } from './gate-file.tsx'

type OpenGateProps = { gate: GateView; focus: RefObject<GateFocus> }

/** The gate in front. Input that began before the gate could be read does not answer it. */
export function OpenGate({ gate, focus }: OpenGateProps) {
  const { t } = useWords()
  const title = useGateTitle(gate)
  const card = useRef<HTMLElement>(null)
  const isRead = useReading(card, gate)
  const kept = useApp((state) => state.gates.choices[gate.gateId])
  const choices = kept?.key === gateKey(gate) ? kept : newGateChoices(gate)
  const { answer, setReason } = useApp((state) => state.gates)
  const sincePainted = useApp((state) => state.conversation.sincePainted)
  const { isFocused, hear: hearFocus } = useCardFocus(card, focus)
  const press = usePress()
  const blocks = gateBlocks(gate)

  const say = (
    verdict: GateAnswerInput['verdict'],
    remember: GateAnswerInput['remember'],
    beganAt: number,
  ) => {
    const sincePaintedMs = sincePainted(gate.gateId, beganAt) ?? 0
    if (!isRead || sincePaintedMs < readingMs || choices.isSending) return
    if (verdict === 'approve' && !gate.calls.some((call) => isChosen(call, choices))) return
    // Noted before it is sent: the gate may be settled before the response arrives.
    focus.current.isOwed = card.current?.contains(document.activeElement) ?? false
    const said = gateAnswer(gate, choices, { verdict, remember, sincePaintedMs })
    void answer(gate.gateId, said).then((isHeard) => {
      if (!isHeard) focus.current.isOwed = false
    })
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.nativeEvent.isComposing || event.defaultPrevented) return
    const isOnCard = event.target === card.current
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey
    if (event.key === 'Escape') {
      event.preventDefault()
      if (!isOnCard) card.current?.focus()
      else if (!event.repeat) say('refuse', null, event.timeStamp)
    } else if (event.key === 'Enter' && isOnCard && isPlain) {
      event.preventDefault()
      if (!event.repeat) say('approve', null, event.timeStamp)
    }
  }

  return (
    <section
      ref={card}
      className={isRead ? 'gate gate-open' : 'gate gate-open gate-unread'}
      aria-label={t('gate.region', { title })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Enter on the card itself approves, so it takes the focus
      tabIndex={0}
      onKeyDown={onKeyDown}
      {...press.hear}
      {...hearFocus}
    >
      <GateHeader gate={gate} hasSubject={gate.calls.some((call) => call.files.length > 0)} />
      {choices.isChanged && (
        <p className="gate-changed" role="status">
          {t('gate.changed')}
        </p>
      )}
      {blocks.map(({ calls: [first, ...others], path }, index) =>
        first === undefined ? null : path !== null ? (
          <SharedFileSection
            key={first.callId}
            gate={gate}
            calls={[first, ...others]}
            path={path}
            choices={choices}
          />
        ) : (
          <GateCallSection
            key={first.callId}
            gate={gate}
            call={first}
            choices={choices}
            number={blocks.length > 1 ? index + 1 : null}
          />
        ),
      )}
      <GateActions
        gate={gate}
        choices={choices}
        isRead={isRead}
        isFocused={isFocused}
        onAnswer={(verdict, remember, event) => say(verdict, remember, press.beganAt(event))}
        onReason={(reason) => {
          setReason(gate.gateId, reason)
          if (reason === null) card.current?.focus()
        }}
      />
    </section>
  )
}

/** Remembers when the press of a click began: a finger that was down before the gate came does not answer it. */
function usePress() {
  const beganAt = useRef<number | null>(null)
  return {
    beganAt(event: SyntheticEvent): number {
      const at = beganAt.current ?? event.timeStamp
      beganAt.current = null
      return at
    },
    hear: {
      onPointerDownCapture: (event: SyntheticEvent) => {
        beganAt.current = event.timeStamp
      },
      onKeyDownCapture: (event: KeyboardEvent) => {
        if (!event.repeat) beganAt.current = event.timeStamp
        // A key that is held down would press a button again and again.
        else if (event.target instanceof HTMLButtonElement) event.preventDefault()
      },
    },
  }
}

/** The focus from before the user moved it to the gate; `isOwed`: it returns once the gate is settled. */
export type GateFocus = { cameFrom: HTMLElement | null; isOwed: boolean }

/** Tells whether the card itself has the focus. A gate never takes it by itself; the user brings it here. */
function useCardFocus(card: RefObject<HTMLElement | null>, focus: RefObject<GateFocus>) {
  const [isFocused, setIsFocused] = useState(false)
  const isWanted = useApp((state) => state.gates.isFrontWanted)
  const wantFront = useApp((state) => state.gates.wantFront)
  useEffect(() => {
    if (!isWanted || card.current === null) return
    card.current.scrollIntoView({ block: 'nearest' })
    card.current.focus({ preventScroll: true })
    wantFront(false)
  }, [isWanted, wantFront, card])

  const hear = {
    onFocus: (event: FocusEvent<HTMLElement>) => {
      setIsFocused(event.target === card.current)
      const from = event.relatedTarget
      if (from instanceof HTMLElement && !card.current?.contains(from)) focus.current.cameFrom = from
    },
    onBlur: () => setIsFocused(false),
  }
  return { isFocused, hear }
}

/** Margin by which the gate must be within the view. Units: CSS pixels. */
const seenHeight = '-48px'

/**
 * True once the gate as it is now has been on the screen for the time that reading takes. The time begins when
 * it is painted within the view and nothing lies over it, not when it arrives; a gate that shows something else
 * begins anew.
 */
function useReading(element: RefObject<HTMLElement | null>, gate: GateView): boolean {
  const { gateId } = gate
  const shown = gateKey(gate)
  const { gatePainted, sincePainted } = useApp((state) => state.conversation)
  const isCovered = useApp((state) => state.ui.dialog !== null)
  const [read, setRead] = useState<string | null>(null)

  useEffect(() => {
    if (element.current === null || isCovered) return
    let frame = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const painted = () => {
      gatePainted(gateId, shown)
      const since = sincePainted(gateId, performance.now()) ?? 0
      timer = setTimeout(() => setRead(shown), Math.max(0, readingMs - since))
    }
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return
        observer.disconnect()
        // The first frame paints it; at the second one it has been painted.
        frame = requestAnimationFrame(() => {
          frame = requestAnimationFrame(painted)
        })
      },
      { rootMargin: `0px 0px ${seenHeight} 0px` },
    )
    observer.observe(element.current)
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [element, isCovered, gateId, shown, gatePainted, sincePainted])

  return read === shown
}

/** The title and the risk of a gate, in words. `hasSubject`: names the subject, where nothing below does. */
export function GateHeader({ gate, hasSubject }: { gate: GateView; hasSubject: boolean }) {
  const { t, language } = useWords()
  const { key, values } = gateTitle(gate)
  const { level } = gate.risk
  const colon = language === 'ja' ? '：' : ': '
  return (
    <header className="gate-header">
      <b>{t(key, values)}</b>
      <span className={`gate-risk gate-risk-${level}`}>
        {t('gate.risk')}
        {colon}
        {t(`gate.risk.${level}`)}
      </span>
      {hasSubject && <GateSubject gate={gate} />}
    </header>
  )
}

/** Returns the title as one text, for names of regions and notices. */
export function useGateTitle(gate: GateView): string {
  const { t } = useWords()
  const { key, values } = gateTitle(gate)
  return t(key, values)
}

/** The subject of a gate in one line. A long name is clipped, and the number of further ones stays visible. */
export function GateSubject({ gate }: { gate: GateView }) {
  const { t } = useWords()
  const { first, more } = gateSubject(gate)
  return (
    <span className="gate-subject">
      <span className="gate-subject-first clip">
        <Pieces text={first} />
      </span>
      {more > 0 && (
        <>
          {' '}
          <span>{t('gate.subject.more', { count: more })}</span>
        </>
      )}
    </span>
  )
}
