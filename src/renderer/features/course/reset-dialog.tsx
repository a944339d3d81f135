import { useApp, useWords } from '../../state/store-context.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'

/** What was kept in mind does not come back: asked once, where it was not asked in its place. */
export function ResetDialog() {
  const { t } = useWords()
  const close = useApp((app) => app.ui.close)
  const reset = useApp((app) => app.sessions.reset)
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
