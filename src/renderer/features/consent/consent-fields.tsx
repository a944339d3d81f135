import { useEffect, useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/fields/choice-field.tsx'

/** The setting of notices about a waiting gate: on the desktop a switch, in a browser its permission. */
export function NotifyField() {
  const { t } = useWords()
  const hasNotices = useApp((state) => state.connection.host?.hasNotices ?? false)
  const { value, update } = useApp((state) => state.settings)
  const [permission, setPermission] = useState(
    'Notification' in globalThis ? Notification.permission : 'denied',
  )
  if (hasNotices) {
    return (
      <CheckField
        label={t('gate.notify')}
        value={value.isGateNotified}
        onChange={(isGateNotified) => void update({ isGateNotified })}
      />
    )
  }
  if (permission === 'granted') return null
  return (
    <section className="consent-trust">
      <div className="row">
        <p className="grow">{t('gate.notify')}</p>
        {permission === 'default' && (
          <Button onClick={() => void Notification.requestPermission().then(setPermission)}>
            {t('gate.notify.ask')}
          </Button>
        )}
      </div>
      <p className="small dim">{t(permission === 'denied' ? 'gate.notify.denied' : 'gate.notify.hint')}</p>
    </section>
  )
}

/** The setting that lets commands run in a copy of the folder, with the reason where they cannot. */
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

/** The other folders in which commands run in a copy, each with the press that ends it. */
export function SandboxFolders() {
  const { t } = useWords()
  const root = useApp((app) => app.work.current?.root)
  const { sandboxFolders, loadSandboxFolders, turnOffSandboxIn } = useApp((app) => app.consent)
  useEffect(() => void loadSandboxFolders(), [loadSandboxFolders])
  const others = sandboxFolders?.filter((folder) => folder !== root) ?? []
  if (others.length === 0) return null
  return (
    <section className="consent-trust" aria-label={t('sandbox.others')}>
      <h3 className="label">{t('sandbox.others')}</h3>
      <ul>
        {others.map((folder) => (
          <li key={folder} className="row">
            <code className="grow clip" title={folder}>
              {folder}
            </code>
            <Button
              aria-label={t('action.of', { action: t('sandbox.turnOff'), name: folder })}
              onClick={() => void turnOffSandboxIn(folder)}
            >
              {t('sandbox.turnOff')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
