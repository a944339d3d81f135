import { AgentMode } from '../../../shared/domain/session/agent-step.ts'
import { percentText } from '../../../shared/i18n/figure-text.ts'
import { modelText } from '../../state/model-words.ts'
import { modeOf } from '../../state/slices/session/session-mode.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Meter } from '../../ui/meter.tsx'

/** What the next message is sent with: the mode, the model, and how full its context is. */
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
    <button
      type="button"
      className="box-fact clip"
      aria-label={t('status.modelButton', { model })}
      onClick={() => open({ kind: 'settings', section: 'models' })}
    >
      {model}
    </button>
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
    <button
      type="button"
      className="box-fact"
      aria-label={`${t('session.context')} ${percent}`}
      onClick={() => goToTab('sent')}
    >
      <Meter label={t('session.context')} value={share} />
      {percent}
    </button>
  )
}
