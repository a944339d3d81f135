import { useState } from 'react'
import { useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'

/** The system's permission for notices, asked for where the user decides about consent. */
export function NotifyField() {
  const { t } = useWords()
  const [permission, setPermission] = useState(
    'Notification' in globalThis ? Notification.permission : 'denied',
  )
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
