import { useEffect, useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'

/** Whether commands of the folder run in a copy, and why they cannot where they cannot. */
export function SandboxField() {
  const { t } = useWords()
  const { sandbox, loadSandbox, setSandboxed } = useApp((app) => app.consent)
  const [isTrying, setIsTrying] = useState(false)
  useEffect(() => void loadSandbox(), [loadSandbox])
  if (sandbox === null) {
    // Keeps the content below in its place when the answer comes.
    return (
      <section className="consent-trust" aria-label={t('sandbox.title')} aria-busy="true">
        <h3 className="label">{t('sandbox.title')}</h3>
        <p className="small dim">{t('sandbox.hint')}</p>
        <div className="consent-waiting" />
      </section>
    )
  }
  const { status, isOn } = sandbox
  const tryAgain = (): void => {
    setIsTrying(true)
    void loadSandbox(true).finally(() => setIsTrying(false))
  }
  return (
    <section className="consent-trust" aria-label={t('sandbox.title')}>
      <h3 className="label">{t('sandbox.title')}</h3>
      <p className="small dim">{t('sandbox.hint')}</p>
      {status.kind === 'ready' ? (
        <div className="row">
          <p className="grow">{t(isOn ? 'sandbox.isOn' : 'sandbox.isOff')}</p>
          <Button onClick={() => void setSandboxed(!isOn)}>
            {t(isOn ? 'sandbox.turnOff' : 'sandbox.turnOn')}
          </Button>
        </div>
      ) : (
        <>
          <p>{t(`sandbox.none.${status.part}`)}</p>
          {status.detail !== '' && <code className="gate-detail">{status.detail}</code>}
          {status.part !== 'system' && (
            <div className="row">
              <p className="grow small dim">{t('sandbox.asBefore')}</p>
              <Button onClick={tryAgain} disabled={isTrying}>
                {t('sandbox.tryAgain')}
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  )
}
