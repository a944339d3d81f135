import { useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/fields/choice-field.tsx'

/**
 * Notices of a waiting gate, asked for where the user decides about consent: a setting on the desktop, else the
 * browser's permission.
 */
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
