import { type ComponentProps, useId } from 'react'
import { Button } from '../button.tsx'
import { Dialog } from './dialog.tsx'

type ConfirmDialogProps = Omit<ComponentProps<typeof Dialog>, 'footer' | 'description'> & {
  confirmLabel: string
  cancelLabel: string
  /** `primary`: the action can be taken back. */
  variant?: 'danger' | 'primary'
  /** False: the action lacks something and cannot be confirmed yet. */
  isReady?: boolean
  /** Says beside the button what the user must do before the action can be confirmed. Empty: nothing more. */
  lack?: string
  /** Runs the action. One that may fail returns whether it is done, and the dialog stays until it is. */
  onConfirm: () => undefined | Promise<boolean>
}

export function ConfirmDialog({
  confirmLabel,
  cancelLabel,
  variant = 'danger',
  size = 'small',
  isReady = true,
  lack,
  onConfirm,
  children,
  ...dialog
}: ConfirmDialogProps) {
  const lackId = useId()
  const confirm = () => {
    const doing = onConfirm()
    if (doing === undefined) dialog.onClose()
    else void doing.then((isDone) => isDone && dialog.onClose())
  }
  return (
    <Dialog
      {...dialog}
      size={size}
      footer={
        <>
          {lack !== undefined && (
            <p id={lackId} className="small grow" role="status">
              {lack}
            </p>
          )}
          <Button autoFocus={variant === 'danger'} onClick={dialog.onClose}>
            {cancelLabel}
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
