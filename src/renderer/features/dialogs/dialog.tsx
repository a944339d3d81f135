import type { ComponentProps } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { ConfirmDialog as Confirm } from '../../ui/overlays/confirm-dialog.tsx'
import { Dialog as Frame } from '../../ui/overlays/dialog.tsx'

/** Without `onClose` it is the dialog that the store holds open. */
type Own<P> = Omit<P, 'closeLabel' | 'cancelLabel' | 'onClose'> & {
  onClose?: () => void
  closeLabel?: string
}

/** A dialog in the words of the window. */
export function Dialog({ onClose, ...rest }: Own<ComponentProps<typeof Frame>>) {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  return <Frame closeLabel={t('action.close')} {...rest} onClose={onClose ?? close} />
}

/** Asks once before something is done, in the words of the window. */
export function ConfirmDialog({ onClose, ...rest }: Own<ComponentProps<typeof Confirm>>) {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  return (
    <Confirm
      closeLabel={t('action.close')}
      {...rest}
      cancelLabel={t('action.cancel')}
      onClose={onClose ?? close}
    />
  )
}
