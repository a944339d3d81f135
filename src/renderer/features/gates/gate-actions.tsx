import { type ButtonHTMLAttributes, type KeyboardEvent, type SyntheticEvent, useEffect, useId } from 'react'
import type { GateAnswerInput, GateView } from '../../../shared/domain/session/gate.ts'
import type { MessageKey } from '../../../shared/i18n/translate.ts'
import { keysOfId } from '../../state/commands/commands.ts'
import type { GateChoices } from '../../state/slices/session/gates-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { isChosen, refusedPlaces, rememberedPatterns } from './gate-facts.ts'

type Answer = (
  verdict: GateAnswerInput['verdict'],
  remember: GateAnswerInput['remember'],
  event: SyntheticEvent,
) => void

type GateActionsProps = {
  gate: GateView
  choices: GateChoices
  isRead: boolean
  isFocused: boolean
  onAnswer: Answer
  onReason: (reason: string | null) => void
}

/** The answers to a gate. They do nothing, and look disabled, until the user could read the gate. */
export function GateActions({ gate, choices, isRead, isFocused, onAnswer, onReason }: GateActionsProps) {
  const { t, errorText } = useWords()
  const isInPlanMode = useApp(({ conversation }) => conversation.current?.state?.mode === 'plan')
  const waitId = useId()
  const patterns = rememberedPatterns(gate)
  const hasChosen = gate.calls.some((call) => isChosen(call, choices))
  const isReady = isRead && !choices.isSending
  const inert = { isInert: !isReady, 'aria-describedby': isRead ? undefined : waitId }
  return (
    <footer className="gate-actions">
      <Refused gate={gate} choices={choices} />
      {choices.error && <Notice tone="bad">{errorText(choices.error)}</Notice>}
      {!hasChosen && <p className="gate-note">{t('gate.nothingApproved')}</p>}
      <div className="gate-buttons">
        <Inert
          variant={gate.risk.level === 'high' ? 'warning' : 'primary'}
          {...inert}
          isInert={!isReady || !hasChosen}
          onClick={(event) => onAnswer('approve', null, event)}
        >
          {t(approveKey(gate, choices, isInPlanMode))}
        </Inert>
        <Inert {...inert} onClick={(event) => onAnswer('refuse', null, event)}>
          {t('gate.refuse')}
        </Inert>
        {choices.reason === null && (
          <Button variant="quiet" onClick={() => onReason('')}>
            {t('gate.refuseWhy')}
          </Button>
        )}
        <span className="grow" />
        {isRead ? (
          <KeyHints
            isFocused={isFocused}
            hasChosen={hasChosen}
            approve={t(approveKey(gate, choices, isInPlanMode))}
          />
        ) : (
          <span id={waitId} className="gate-hints">
            {t('gate.soon')}
          </span>
        )}
      </div>
      {choices.reason !== null && (
        <ReasonField
          value={choices.reason}
          isReady={isReady}
          onChange={onReason}
          onSend={(event) => onAnswer('refuse', null, event)}
        />
      )}
      {gate.calls.every(({ sandbox }) => sandbox === 'offered') && choices.reason === null && (
        <div className="gate-remember">
          <p className="small dim grow">{t('sandbox.offer.text')}</p>
          <Inert variant="quiet" {...inert} onClick={(event) => onAnswer('approve', 'sandbox', event)}>
            {t('sandbox.offer')}
          </Inert>
        </div>
      )}
      {gate.calls.every(isPlainCommand) && choices.reason === null && <MissingSandbox />}
      {patterns !== null && choices.reason === null && (
        <div className="gate-remember">
          <Inert variant="quiet" {...inert} onClick={(event) => onAnswer('approve', 'session', event)}>
            {t('gate.session')}
          </Inert>
          <Inert variant="quiet" {...inert} onClick={(event) => onAnswer('approve', 'always', event)}>
            <Always patterns={patterns} />
          </Inert>
        </div>
      )}
    </footer>
  )
}

function isPlainCommand({ tool, sandbox }: GateView['calls'][number]): boolean {
  return tool === 'run_command' && sandbox === undefined
}

/** Says once how commands could run in a copy, where a program is missing for it. */
function MissingSandbox() {
  const { t } = useWords()
  const { value, update } = useApp((app) => app.settings)
  const isKnown = value.knowsMissingSandbox
  const { sandbox, loadSandbox } = useApp((app) => app.consent)
  useEffect(() => {
    if (!isKnown) void loadSandbox()
  }, [isKnown, loadSandbox])
  if (isKnown || sandbox?.status.kind !== 'none' || sandbox.status.part !== 'program') return null
  return (
    <div className="gate-remember">
      <p className="small dim grow">{t('sandbox.missing')}</p>
      <Button variant="quiet" onClick={() => void update({ knowsMissingSandbox: true })}>
        {t('sandbox.missing.known')}
      </Button>
    </div>
  )
}

/** The label of *always*; its patterns are shown as code. */
function Always({ patterns }: { patterns: readonly string[] }) {
  const { t } = useWords()
  const [before = '', after = ''] = t('gate.always', { patterns: '\n' }).split('\n')
  return (
    <span className="gate-always">
      {before}
      {patterns.map((pattern) => (
        <code key={pattern}>
          <Pieces text={pattern} />
        </code>
      ))}
      {after}
    </span>
  )
}

function approveKey(gate: GateView, choices: GateChoices, isInPlanMode: boolean): MessageKey {
  if (gate.kind === 'plan') return isInPlanMode ? 'gate.approve.carryOut' : 'gate.approve.plan'
  if (gate.kind === 'effects' && refusedPlaces(gate, choices).length === 0) return 'gate.approve.effects'
  if (gate.calls.some((call) => !isChosen(call, choices)) || refusedPlaces(gate, choices).length > 0)
    return 'gate.approve.part'
  if (gate.calls.every((call) => call.command !== null))
    return gate.risk.level === 'high' ? 'gate.approve.runAnyway' : 'gate.approve.run'
  if (gate.calls.every((call) => call.reads.length > 0)) return 'gate.approve.read'
  return gate.calls.every((call) => call.files.length > 0) ? 'gate.approve' : 'gate.approve.mixed'
}

/** Which places would be left out, by the numbers that stand beside them. */
function Refused({ gate, choices }: { gate: GateView; choices: GateChoices }) {
  const { t, language } = useWords()
  const places = refusedPlaces(gate, choices)
  const comma = language === 'ja' ? '、' : ', '
  const text = places.map(({ path, numbers, isAll }) =>
    isAll ? t('gate.refusedAll', { path }) : t('gate.refusedPlace', { path, numbers: numbers.join(comma) }),
  )
  return (
    <p className="gate-refused" role="status">
      {text.length > 0 && <Pieces text={t('gate.refusedPlaces', { places: text.join(' · ') })} />}
    </p>
  )
}

type KeyHintsProps = { isFocused: boolean; hasChosen: boolean; approve: string }

/** Keys that work now: those of the card while it has the focus, else the one that leads to it. */
function KeyHints({ isFocused, hasChosen, approve }: KeyHintsProps) {
  const { t } = useWords()
  const isAskable = useApp((state) => state.ui.dialog === null)
  const reachKeys = useApp((state) => keysOfId('gate.focus', state)) ?? []
  if (!isFocused) {
    return (
      <span className="gate-hints">
        {isAskable && (
          <span>
            <Kbd keys={reachKeys} /> {t('gate.key.reach')}
          </span>
        )}
      </span>
    )
  }
  return (
    <span className="gate-hints">
      {hasChosen && (
        <span>
          <Kbd keys={['Enter']} /> {approve}
        </span>
      )}
      <span>
        <Kbd keys={['Esc']} /> {t('gate.key.refuse')}
      </span>
    </span>
  )
}

type InertProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: 'primary' | 'normal' | 'quiet' | 'warning'
  isInert: boolean
}

/** A button that keeps the focus and its place in the order while it does nothing. */
function Inert({ isInert, onClick, className = '', ...rest }: InertProps) {
  return (
    <Button
      {...rest}
      className={isInert ? `button-inert ${className}` : className}
      aria-disabled={isInert}
      onClick={(event) => {
        if (!isInert) onClick?.(event)
      }}
    />
  )
}

type ReasonFieldProps = {
  value: string
  isReady: boolean
  onChange: (reason: string | null) => void
  onSend: (event: SyntheticEvent) => void
}

/** The field for the reason of a refusal. Keys that belong to a composition are left to it. */
function ReasonField({ value, isReady, onChange, onSend }: ReasonFieldProps) {
  const { t } = useWords()
  const canSend = isReady && value.trim() !== ''
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      onChange(null)
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      if (canSend && !event.repeat) onSend(event)
    }
  }
  return (
    <div className="gate-reason">
      <Field label={t('gate.reason')} hint={t('gate.reason.hint')}>
        {(ids) => (
          <textarea
            {...ids}
            className="textarea"
            rows={2}
            // biome-ignore lint/a11y/noAutofocus: the user has just asked for this field
            autoFocus
            value={value}
            onChange={(event) => onChange(event.target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <div className="row">
        <Button disabled={!canSend} onClick={onSend}>
          {t('gate.reason.send')}
        </Button>
        <Button variant="quiet" onClick={() => onChange(null)}>
          {t('action.cancel')}
        </Button>
        <span className="grow" />
        <Kbd keys={['Ctrl', 'Enter']} />
      </div>
    </div>
  )
}
