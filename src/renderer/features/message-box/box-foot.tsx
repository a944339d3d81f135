import { AgentMode } from '../../../shared/domain/session/agent-step.ts'
import type { SpeculationLinkState } from '../../../shared/domain/session/speculation.ts'
import { percentText } from '../../../shared/i18n/figure-text.ts'
import type { BoxGhost } from '../../editor/message/message-ghost.ts'
import { keysOfId } from '../../state/commands/commands.ts'
import { modelText } from '../../state/model-words.ts'
import { modeOf } from '../../state/slices/session/conversation-slice.ts'
import { speculationLink } from '../../state/slices/session/speculation-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, PlainButton } from '../../ui/button.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Meter } from '../../ui/meter.tsx'
import { type EnterMeaning, isMac } from './box-keys.ts'
import {
  GhostButton,
  SpeculationMark,
  SpeculationNext,
  SpeculationSwitch,
} from './suggestions/speculation-mark.tsx'

type BoxHintsProps = {
  id: string
  hint: 'stop' | 'unknown' | 'incomplete' | null
  hasOptions: boolean
  isRunning: boolean
  isEmpty: boolean
  canSteer: boolean
  enter: EnterMeaning
  hasModel: boolean
  ghost: BoxGhost | null
  ghostEnter: 'send' | 'fill'
  /** The speculation on the text in the box. */
  speculation: SpeculationLinkState | null
  onSend: () => void
  onTake: () => void
}

/** The hints for the keys that work at this moment, with the same actions for the pointer. */
export function BoxHints(props: BoxHintsProps) {
  const { hint, hasOptions, isRunning, canSteer, isEmpty, enter, hasModel, ghost, speculation, onSend } =
    props
  const { t } = useWords()
  const stop = useApp((state) => state.conversation.stop)
  const open = useApp((state) => state.ui.open)
  // A speculation that is being accepted waits for a decision: nothing is accepted before it.
  const isAnswer = enter === 'approve' || enter === 'refuse' || enter === 'decline'
  const isDeciding = useApp((state) => speculationLink(state)?.accepting != null)
  return (
    <div className="box-hints">
      <p
        className={hint === null ? 'grow box-hint' : 'grow box-hint box-hint-now'}
        role="status"
        id={props.id}
      >
        {hint !== null ? t(`session.hint.${hint}`) : !hasModel ? t('session.noModel') : null}
        {hint === null && hasOptions && (
          <>
            <Kbd keys={['↑ ↓']} /> <Kbd keys={['Tab']} /> {t('session.hint.take')}
          </>
        )}
        {hint === null && ghost !== null && !hasOptions && !isDeciding && (
          <GhostHints {...props} ghost={ghost} />
        )}
        {hint === null && hasModel && !hasOptions && !isEmpty && ghost === null && (
          <>
            <Kbd keys={['Enter']} />{' '}
            {speculation === null ? (
              t(`session.hint.${enter}`)
            ) : (
              <>
                <SpeculationMark link={speculation} /> <SpeculationNext link={speculation} />
              </>
            )}
            {canSteer && !isAnswer && (
              <>
                {' '}
                <Kbd keys={['Ctrl', 'Enter']} /> {t('session.hint.steer')}
              </>
            )}
            {!['approve', 'refuse', 'beside'].includes(enter) && (
              <>
                {' '}
                <Kbd keys={['Alt', 'Enter']} /> {t('session.hint.beside')}
              </>
            )}
          </>
        )}
        {hint === null && hasModel && isEmpty && isRunning && (
          <>
            <Kbd keys={['Esc']} /> {t('session.hint.escape')}
          </>
        )}
      </p>
      {hint === null && ghost !== null && !ghost.isRest && !hasOptions && !isDeciding && (
        <SpeculationSwitch />
      )}
      {!hasModel && (
        <Button onClick={() => open({ kind: 'settings', section: 'models' })}>{t('model.choose')}</Button>
      )}
      {isRunning && (
        <Button variant="quiet" icon="stop" onClick={() => void stop()}>
          {t('action.stop')}
        </Button>
      )}
      {hasModel && (
        <Button variant={isEmpty ? 'normal' : 'primary'} disabled={isEmpty} onClick={onSend}>
          {t(enter === 'queue' ? 'session.queue' : enter === 'beside' ? 'session.ask' : 'session.send')}
        </Button>
      )}
    </div>
  )
}

/** Says how the ghost is accepted: screen readers read it out, and the pointer can press its first key. */
function GhostHints({
  ghost,
  ghostEnter,
  speculation,
  onTake,
}: Pick<BoxHintsProps, 'ghostEnter' | 'speculation' | 'onTake'> & { ghost: BoxGhost }) {
  const { t } = useWords()
  return (
    <>
      <span className="visually-hidden">{t('suggestion.ghost.spoken', { text: ghost.text })}</span>{' '}
      <GhostButton onClick={onTake}>
        <Kbd keys={['Tab']} />{' '}
        {speculation === null ? (
          t(ghost.isRest ? 'suggestion.ghost.rest' : 'suggestion.ghost.take')
        ) : (
          <SpeculationMark link={speculation} />
        )}
      </GhostButton>
      {speculation !== null && <SpeculationNext link={speculation} />}
      {!ghost.isRest && ghostEnter === 'send' && speculation === null && (
        <span className="ghost-key">
          <Kbd keys={['Enter']} /> {t('session.hint.send')}
        </span>
      )}{' '}
      <span className="ghost-key">
        <Kbd keys={[isMac ? '⌥' : 'Ctrl', '→']} /> {t('suggestion.ghost.word')}
      </span>{' '}
      {!ghost.isRest && <OtherSuggestions />}
    </>
  )
}

/** Which of several suggestions stands there; a press shows the next one. */
function OtherSuggestions() {
  const { t } = useWords()
  const place = useApp((state) => state.suggestion.current.place)
  const other = useApp((state) => state.suggestion.other)
  const keys = useApp((state) => keysOfId('suggestion.next', state))
  if (place === undefined) return null
  const { number, count, isMaking } = place
  return (
    <GhostButton title={t('command.suggestionNext')} onClick={() => void other(1)}>
      {keys !== undefined && <Kbd keys={keys} />}{' '}
      {isMaking ? t('suggestion.ghost.making') : t('suggestion.ghost.place', { number, count })}
    </GhostButton>
  )
}

/** Shows the mode, the model and how full its context is, below the message box. */
export function BoxBar() {
  return (
    <div className="box-bar">
      <Mode />
      <span className="grow" />
      <Model />
      <Context />
    </div>
  )
}

/** How much the session may do without asking; before the first message, how much it will. */
function Mode() {
  const { t } = useWords()
  const mode = useApp((state) => modeOf(state))
  const setMode = useApp((state) => state.conversation.setMode)
  if (mode === null) return null
  return (
    <Segmented
      label={t('session.mode')}
      value={mode}
      options={AgentMode.options.map((value) => ({
        value,
        label: t(`session.mode.${value}`),
        hint: t(`session.mode.${value}.hint`),
      }))}
      onChange={(next) => void setMode(next)}
    />
  )
}

function Model() {
  const { t } = useWords()
  const { status, isStatusKnown } = useApp((state) => state.models)
  const open = useApp((state) => state.ui.open)
  if (!isStatusKnown) return null
  const model = modelText(t, status)
  return (
    <PlainButton
      className="box-fact clip"
      aria-label={t('status.modelButton', { model })}
      onClick={() => open({ kind: 'settings', section: 'models' })}
    >
      {model}
    </PlainButton>
  )
}

/** How full the context is; a press shows what fills it. */
function Context() {
  const { t } = useWords()
  const meter = useApp((state) => state.conversation.current?.state?.context ?? null)
  const goToTab = useApp((state) => state.ui.goToSessionTab)
  if (meter === null || meter.limitTokens === null) return null
  const share = meter.usedTokens / meter.limitTokens
  const percent = percentText(t, share)
  return (
    <PlainButton
      className="box-fact"
      aria-label={`${t('session.context')} ${percent}`}
      onClick={() => goToTab('sent')}
    >
      <Meter label={t('session.context')} value={share} />
      {percent}
    </PlainButton>
  )
}
