import { continueAt } from '../../state/continue-draft.ts'
import type { SeveralTakes } from '../../state/slices/work/runs-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

/** Asks once where *Continue* goes on while the caret stands in the middle of a chapter. */
export function ContinueWhere({ options: { isEndless, takes } }: { options: SeveralTakes }) {
  const { t } = useWords()
  const store = useAppStore()
  const close = useApp((state) => state.ui.close)
  const updateDrafting = useApp((state) => state.settings.updateDrafting)
  const choose = (where: 'here' | 'end') => {
    close()
    void updateDrafting({ continueAt: where })
    continueAt(store, where, { ...(isEndless && { isEndless }), ...(takes && { takes }) })
    store.editor.current?.focus()
  }
  return (
    <Dialog
      title={t('continueWhere.title')}
      description={t('continueWhere.question')}
      size="small"
      closeLabel={t('action.close')}
      onClose={close}
      footer={
        <>
          <Button onClick={() => choose('end')}>{t('continueWhere.end')}</Button>
          <Button look="primary" onClick={() => choose('here')}>
            {t('continueWhere.here')}
          </Button>
        </>
      }
    >
      <p className="dialog-question">{t('continueWhere.hint')}</p>
    </Dialog>
  )
}
