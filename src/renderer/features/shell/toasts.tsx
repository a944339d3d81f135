import type { MessageKey, MessageValues, Translate } from '../../../shared/i18n/translate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { ToastList } from '../../ui/overlays/toast.tsx'

/** Returns the texts that are put into another text. */
function textsOf(t: Translate, words: Record<string, MessageKey> = {}): MessageValues {
  return Object.fromEntries(Object.entries(words).map(([name, key]) => [name, t(key)]))
}

export function Toasts() {
  const { t, errorText } = useWords()
  const { toasts, closeToast } = useApp((state) => state.ui)
  return (
    <ToastList
      label={t('toast.label')}
      closeLabel={t('action.close')}
      toasts={toasts.map(({ id, tone, message, action }) => ({
        id,
        tone,
        text:
          'error' in message
            ? errorText(message.error)
            : t(message.key, { ...message.values, ...textsOf(t, message.words) }),
        ...(action ? { actionLabel: t(action.key) } : {}),
      }))}
      onAction={(id) => {
        toasts.find((toast) => toast.id === id)?.action?.run()
        closeToast(id)
      }}
      onClose={closeToast}
    />
  )
}
