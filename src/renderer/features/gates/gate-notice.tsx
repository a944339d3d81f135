import { useEffect, useRef } from 'react'
import { frontGate } from '../../state/reducers/session-reducer.ts'
import { speculationGate, speculationQuestion } from '../../state/slices/session/speculation-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { gateTitle } from './gate-facts.ts'

const mark = '● '

/**
 * Says that a gate, or another question of an acceptance, waits: to screen readers always, and where the window is not
 * in front by a mark in its title and, where the user allowed it, by a notice of the system.
 */
export function GateNotice() {
  const { t } = useWords()
  const gate = useApp(
    (state) => speculationGate(state) ?? frontGate(state.conversation.current)?.gate ?? null,
  )
  const question = useApp((state) => speculationQuestion(state)?.step ?? null)
  const questionId = useApp((state) => speculationQuestion(state)?.id ?? null)
  const { isUnseen, setUnseen, wantFront, notify } = useApp((state) => state.gates)
  const { hasNotices } = useApp((state) => state.connection.host) ?? { hasNotices: false }
  const isNotified = useApp((state) => state.settings.value.isGateNotified)
  const told = useRef<string | null>(null)
  const words = gate && gateTitle(gate)
  const opened = words ? t('gate.opened', { title: t(words.key, words.values) }) : ''
  const text = question === null ? opened : t(`speculation.step.${question}`)
  const gateId = questionId ?? gate?.gateId ?? null

  useEffect(() => {
    if (gateId === null) return setUnseen(false)
    if (told.current === gateId || document.hasFocus()) return
    told.current = gateId
    setUnseen(true)
    if (hasNotices) {
      if (isNotified) void notify(text)
      return
    }
    if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
    const notice = new Notification('Tsugi', { body: text, tag: gateId })
    notice.onclick = () => {
      window.focus()
      wantFront(true)
      notice.close()
    }
    return () => notice.close()
  }, [gateId, text, setUnseen, wantFront, notify, hasNotices, isNotified])

  useEffect(() => {
    const seen = () => setUnseen(false)
    addEventListener('focus', seen)
    return () => removeEventListener('focus', seen)
  }, [setUnseen])

  useEffect(() => {
    const title = document.title.replace(mark, '')
    document.title = isUnseen ? mark + title : title
  }, [isUnseen])

  return (
    <p className="visually-hidden" aria-live="polite">
      {text}
    </p>
  )
}
