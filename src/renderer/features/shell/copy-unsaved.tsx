import type { Translate } from '../../../shared/i18n/translate.ts'
import { useApp, useAppStore } from '../../state/store-context.tsx'
import { unsavedText } from '../../state/unsaved-text.ts'
import { Button } from '../../ui/button.tsx'

/** Copies all text that would be lost with this tab. */
export function CopyUnsaved({ t }: { t: Translate }) {
  const store = useAppStore()
  const toast = useApp((state) => state.ui.toast)
  const copy = () =>
    void navigator.clipboard.writeText(unsavedText(store, t)).then(
      () => toast({ key: 'banner.unsavedCopied' }),
      () => toast({ key: 'conversation.notCopied' }),
    )
  return <Button onClick={copy}>{t('banner.copyUnsaved')}</Button>
}
