import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'

type BoxHintsProps = {
  hint: 'stop' | 'unknown' | 'incomplete' | null
  hasOptions: boolean
  isRunning: boolean
  isEmpty: boolean
  hasModel: boolean
  onSend: () => void
}

/** What the keys do at this moment, and the same for the pointer. */
export function BoxHints({ hint, hasOptions, isRunning, isEmpty, hasModel, onSend }: BoxHintsProps) {
  const { t } = useWords()
  const stop = useApp((state) => state.sessions.stop)
  const open = useApp((state) => state.ui.open)
  return (
    <div className="box-hints">
      <p className={hint === null ? 'grow box-hint' : 'grow box-hint box-hint-now'} role="status">
        {hint !== null ? t(`session.hint.${hint}`) : !hasModel ? t('session.noModel') : null}
        {hint === null && hasOptions && (
          <>
            <Kbd keys={['↑ ↓']} /> <Kbd keys={['Tab']} /> {t('session.hint.take')}
          </>
        )}
        {hint === null && hasModel && !hasOptions && !isEmpty && (
          <>
            <Kbd keys={['Enter']} /> {t(isRunning ? 'session.hint.queue' : 'session.hint.send')}
            {isRunning && (
              <>
                {' '}
                <Kbd keys={['Ctrl', 'Enter']} /> {t('session.hint.steer')}
              </>
            )}{' '}
            <Kbd keys={['Alt', 'Enter']} /> {t('session.hint.beside')}
          </>
        )}
        {hint === null && hasModel && isEmpty && isRunning && (
          <>
            <Kbd keys={['Esc']} /> {t('session.hint.escape')}
          </>
        )}
      </p>
      {!hasModel && (
        <Button onClick={() => open({ kind: 'settings', section: 'models' })}>{t('model.choose')}</Button>
      )}
      {isRunning && (
        <Button look="quiet" icon="stop" onClick={() => void stop()}>
          {t('action.stop')}
        </Button>
      )}
      {hasModel && (
        <Button look={isEmpty ? 'normal' : 'primary'} disabled={isEmpty} onClick={onSend}>
          {t(isRunning ? 'session.queue' : 'session.send')}
        </Button>
      )}
    </div>
  )
}
