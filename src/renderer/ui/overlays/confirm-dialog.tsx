import { type ReactNode, useId } from 'react'
import { Button } from '../button.tsx'
import { Dialog } from './dialog.tsx'

type ConfirmDialogProps = {
  title: string
  confirmLabel: string
  cancelLabel: string
  closeLabel: string
  /** `primary`: the action can be taken back. */
  look?: 'danger' | 'primary'
  size?: 'small' | 'medium' | 'large'
  /** False: the action lacks something and cannot be confirmed yet. */
  isReady?: boolean
  /** Says beside the button what the user must do before the action can be confirmed. Empty: nothing more. */
  lack?: string
  /** Runs the action. One that may fail returns whether it is done, and the dialog stays until it is. */
  onConfirm: () => undefined | Promise<boolean>
  onClose: () => void
  /** What is asked: a sentence, or what would happen. */
  children: ReactNode
}

/** Asks once before something is done. */
export function ConfirmDialog({
  title,
  confirmLabel,
  cancelLabel,
  closeLabel,
  look = 'danger',
  size = 'small',
  isReady = true,
  lack,
  onConfirm,
  onClose,
  children,
}: ConfirmDialogProps) {
  const lackId = useId()
  const confirm = () => {
    const doing = onConfirm()
    if (doing === undefined) onClose()
    else void doing.then((isDone) => isDone && onClose())
  }
  return (
    <Dialog
      title={title}
      size={size}
      closeLabel={closeLabel}
      onClose={onClose}
      footer={
        <>
          {lack !== undefined && (
            <p id={lackId} className="small grow" role="status">
              {lack}
            </p>
          )}
          <Button autoFocus={look === 'danger'} onClick={onClose}>
            {cancelLabel}
          </Button>
          <Button
            look={look}
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
