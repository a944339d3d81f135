import type { GateCall, GateView } from '../../../shared/domain/session/gate.ts'
import { ignoredWords } from '../../../shared/i18n/ignored-words.ts'
import { isAllVisible } from '../../../shared/text/visible-characters.ts'
import type { GateChoices } from '../../state/slices/session/gates-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Check } from '../../ui/fields/choice-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Pieces, Verbatim } from '../../ui/verbatim.tsx'
import { GateFileSection } from './gate-file.tsx'
import { GatePoints } from './gate-points.tsx'

type GateCallProps = {
  gate: GateView
  call: GateCall
  choices: GateChoices
  /** From 1; null in a gate with one call, which is approved or refused with the gate. */
  number: number | null
}

/** One call of a gate: its five points, and the command or the changed files. */
export function GateCallSection({ gate, call, choices, number }: GateCallProps) {
  const { t } = useWords()
  const hasLayout = gate.calls.find((one) => one.files.length > 0) === call
  const leaveOut = useApp((state) => state.gates.leaveOut)
  const isLeftOut = choices.leftOut.includes(call.callId)
  return (
    <div className={isLeftOut ? 'gate-call gate-call-left' : 'gate-call'}>
      {number !== null && (
        <div className="gate-call-head">
          <span className="label grow">{t('gate.call', { count: number })}</span>
          <Check checked={!isLeftOut} onChange={(isOn) => leaveOut(gate.gateId, call.callId, !isOn)}>
            {t('gate.callTake')}
          </Check>
        </div>
      )}
      <GatePoints call={call} hasLayout={hasLayout} />
      {call.sandbox !== undefined && call.sandbox !== 'offered' && (
        <p className="row gate-unseen" role="note">
          {t(`sandbox.failed.${call.sandbox}`)}
        </p>
      )}
      {call.command && <Command command={call.command} />}
      {call.outside && <Command command={{ line: call.outside.line, parts: [] }} />}
      {call.effects && <Effects effects={call.effects} isUndone={gate.kind === 'apply'} />}
      {!isLeftOut &&
        call.files.map((file, index) => (
          <GateFileSection
            key={`${file.path} ${call.hash}`}
            gate={gate}
            call={call}
            file={file}
            choices={choices}
            isFirst={index < 3}
          />
        ))}
    </div>
  )
}

type EffectsProps = {
  effects: NonNullable<GateCall['effects']>
  /** Undo covers the ignored files as well. */
  isUndone: boolean
}

/** The effects of a command besides the files below. */
function Effects({ effects, isUndone }: EffectsProps) {
  const { t, language } = useWords()
  const { ignored, conflicts, left } = effects
  return (
    <>
      {ignored.map((part) => (
        <p key={part.top} className="gate-note">
          <Pieces text={ignoredWords(t, language, part, isUndone)} />
        </p>
      ))}
      {conflicts.length > 0 && (
        <p className="row gate-unseen" role="note">
          <Pieces text={t('gate.effects.conflicts', { paths: conflicts })} />
        </p>
      )}
      {left.length > 0 && (
        <p className="gate-note">
          <Pieces text={t('gate.effects.left', { paths: left.map(({ path }) => path) })} />
        </p>
      )}
    </>
  )
}

/** The line as it would be run; invisible characters are shown by their codes. */
function Command({ command }: { command: Pick<NonNullable<GateCall['command']>, 'line' | 'parts'> }) {
  const { t } = useWords()
  return (
    <section className="gate-command" aria-label={t('gate.command')}>
      <pre>
        <Verbatim text={command.line} isCommand />
      </pre>
      {!isAllVisible(command.line) && (
        <p className="row gate-unseen" role="alert">
          <Icon name="warn" size={14} />
          {t('gate.unseen')}
        </p>
      )}
      {command.parts.length > 1 && (
        <div className="gate-parts">
          <span>{t('gate.commandParts')}</span>
          <ol>
            {command.parts.map((part, at) => {
              const key = `${at} ${part}`
              return (
                <li key={key}>
                  <code>
                    <Verbatim text={part} isCommand />
                  </code>
                </li>
              )
            })}
          </ol>
        </div>
      )}
    </section>
  )
}
