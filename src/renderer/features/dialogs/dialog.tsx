import { type ComponentProps, useId } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog as Frame } from '../../ui/overlays/dialog.tsx'

/** Without `onClose` it is the dialog that the store holds open. */
type DialogProps = Omit<ComponentProps<typeof Frame>, 'closeLabel' | 'onClose'> & {
  onClose?: () => void
  closeLabel?: string
}

/** A dialog in the words of the window. */
export function Dialog({ onClose, ...rest }: DialogProps) {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  return <Frame closeLabel={t('action.close')} {...rest} onClose={onClose ?? close} />
}

type ConfirmDialogProps = Omit<DialogProps, 'footer' | 'description'> & {
  confirmLabel: string
  /** `primary`: the action can be taken back. */
  variant?: 'danger' | 'primary'
  /** False: the action lacks something and cannot be confirmed yet. */
  isReady?: boolean
  /** Says beside the button what the user must do before the action can be confirmed. Empty: nothing more. */
  lack?: string
  /** Runs the action. One that may fail returns whether it is done, and the dialog stays until it is. */
  onConfirm: () => undefined | Promise<boolean>
}

/** Asks once before something is done. */
export function ConfirmDialog({
  confirmLabel,
  variant = 'danger',
  size = 'small',
  isReady = true,
  lack,
  onConfirm,
  onClose,
  children,
  ...dialog
}: ConfirmDialogProps) {
  const { t } = useWords()
  const closeHeld = useApp((state) => state.ui.close)
  const close = onClose ?? closeHeld
  const lackId = useId()
  const confirm = () => {
    const doing = onConfirm()
    if (doing === undefined) close()
    else void doing.then((isDone) => isDone && close())
  }
  return (
    <Dialog
      {...dialog}
      size={size}
      onClose={close}
      footer={
        <>
          {lack !== undefined && (
            <p id={lackId} className="small grow" role="status">
              {lack}
            </p>
          )}
          <Button autoFocus={variant === 'danger'} onClick={close}>
            {t('action.cancel')}
          </Button>
          <Button
            variant={variant}
            disabled={!isReady}
            aria-describedby={lack ? lackId : undefined}
            onClick={confirm}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {typeof children === 'string' ? <p className="dialog-question">{children}</p> : children}
    </Dialog>
  )
}
