import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** What was kept in mind does not come back: asked once, where it was not asked in its place. */
export function ResetDialog() {
  const { t } = useWords()
  const close = useApp((app) => app.ui.close)
  const reset = useApp((app) => app.sessions.reset)
  return (
    <Dialog
      title={t('course.reset')}
      size="small"
      closeLabel={t('action.close')}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            look="danger"
            onClick={() => {
              close()
              void reset()
            }}
          >
            {t('course.reset.yes')}
          </Button>
        </>
      }
    >
      <p className="course-reset-text">{t('course.reset.ask')}</p>
    </Dialog>
  )
}
