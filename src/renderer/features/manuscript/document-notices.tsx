import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Problems of the open text: conflicts, failed saves, recovered text, read-only. */
export function DocumentNotices({ path }: { path: string }) {
  const { t, language, errorText } = useWords()
  const view = useApp((state) => state.documents.byPath[path])
  const { resolveConflict, saveAsUtf8, save, forgetRecovery, forgetChangedElsewhere } = useApp(
    (state) => state.documents,
  )
  const open = useApp((state) => state.ui.open)
  if (!view) return null
  const { conflict, saveError, recoveredAt, changedElsewhere, format, problem } = view

  return (
    <>
      {conflict?.kind === 'changed' && (
        <Notice
          tone="bad"
          actions={
            <>
              <Button onClick={() => void resolveConflict(path, 'reload')}>{t('conflict.reload')}</Button>
              <Button onClick={() => void resolveConflict(path, 'keep-mine')}>
                {t('conflict.keepMine')}
              </Button>
              <Button look="quiet" onClick={() => open({ kind: 'compare-disk', path })}>
                {t('action.compare')}
              </Button>
            </>
          }
        >
          {t('conflict.changed')}
        </Notice>
      )}
      {conflict?.kind === 'removed' && (
        <Notice
          tone="bad"
          actions={
            <Button onClick={() => void resolveConflict(path, 'keep-mine')}>
              {t('conflict.writeAgain')}
            </Button>
          }
        >
          {t('conflict.removed')}
        </Notice>
      )}
      {saveError && (
        <Notice
          tone="bad"
          actions={
            saveError.code === 'file/unencodable' ? (
              <Button look="primary" onClick={() => void saveAsUtf8(path)}>
                {t('save.asUtf8')}
              </Button>
            ) : (
              <Button onClick={() => void save(path)}>{t('save.now')}</Button>
            )
          }
        >
          {errorText(saveError)}
        </Notice>
      )}
      {recoveredAt !== null && (
        <Notice
          tone="plain"
          actions={
            <Button look="quiet" onClick={() => forgetRecovery(path)}>
              {t('action.close')}
            </Button>
          }
        >
          {t('recovered.text', {
            time: new Date(recoveredAt).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' }),
          })}
        </Notice>
      )}
      {changedElsewhere === 'told' && (
        <Notice
          tone="plain"
          actions={
            <Button look="quiet" onClick={() => forgetChangedElsewhere(path)}>
              {t('action.close')}
            </Button>
          }
        >
          {t('reloaded.text')}
        </Notice>
      )}
      {format?.isReadOnly && <Notice tone="plain">{t('editor.readOnly')}</Notice>}
      {problem && <Notice tone="bad">{errorText(problem)}</Notice>}
    </>
  )
}
