import './dialog.css'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { IconButton } from '../button.tsx'
import { useOpener } from '../opener.ts'

type DialogProps = {
  title: string
  description?: string
  closeLabel: string
  size?: 'small' | 'medium' | 'large'
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
}

/** A modal over a veil: holds the focus, gives it back, closes on Escape. */
export function Dialog({
  title,
  description,
  closeLabel,
  size = 'medium',
  onClose,
  children,
  footer,
}: DialogProps) {
  const giveBack = useOpener()
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-veil" />
        <Radix.Content
          className={`dialog dialog-${size}`}
          onCloseAutoFocus={giveBack}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <header className="dialog-header">
            <Radix.Title className="dialog-title">{title}</Radix.Title>
            <IconButton icon="close" label={closeLabel} onClick={onClose} />
          </header>
          {description && <Radix.Description className="dialog-description">{description}</Radix.Description>}
          <div className="dialog-body">{children}</div>
          {footer && <footer className="dialog-footer">{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
