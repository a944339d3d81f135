import './toast.css'
import type { MessageKey, MessageValues, Translate } from '../../../shared/i18n/translate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'

/** Returns the texts that are put into another text. */
function textsOf(t: Translate, words: Record<string, MessageKey> = {}): MessageValues {
  return Object.fromEntries(Object.entries(words).map(([name, key]) => [name, t(key)]))
}

/** Shows messages that belong to no element of the page; screen readers announce them. */
export function Toasts() {
  const { t, errorText } = useWords()
  const { toasts, closeToast } = useApp((state) => state.ui)
  return (
    <section className="toast-list" aria-label={t('toast.label')} aria-live="polite">
      {toasts.map(({ id, tone, message, action }) => (
        <div key={id} className={`floating row toast toast-${tone}`} role="status">
          <span className="grow">
            {'error' in message
              ? errorText(message.error)
              : t(message.key, { ...message.values, ...textsOf(t, message.words) })}
          </span>
          {action && (
            <Button
              variant="quiet"
              onClick={() => {
                action.run()
                closeToast(id)
              }}
            >
              {t(action.key)}
            </Button>
          )}
          <IconButton icon="close" label={t('action.close')} onClick={() => closeToast(id)} />
        </div>
      ))}
    </section>
  )
}
