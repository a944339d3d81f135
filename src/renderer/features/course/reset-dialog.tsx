import { useApp, useWords } from '../../state/store-context.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'

/** Asks before a reset, where that was not asked in place: the brief does not come back. */
export function ResetDialog() {
  const { t } = useWords()
  const close = useApp((app) => app.ui.close)
  const reset = useApp((app) => app.conversation.reset)
  return (
    <ConfirmDialog
      title={t('course.reset')}
      confirmLabel={t('course.reset.yes')}
      cancelLabel={t('action.cancel')}
      closeLabel={t('action.close')}
      onConfirm={() => void reset()}
      onClose={close}
    >
      {t('course.reset.ask')}
    </ConfirmDialog>
  )
}
