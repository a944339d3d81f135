import './dialog.css'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { IconButton } from '../button.tsx'
import { useOpener } from '../kept-focus.ts'

type DialogProps = {
  title: string
  description?: string
  closeLabel: string
  size?: 'small' | 'medium' | 'large'
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
}

const primary = '.dialog-footer .button-primary'

/** Places where the focus may begin; the first one that exists is used. */
const starts = [
  '.dialog-body [role=tab][data-state=active]',
  '.dialog-body :is(input:not([type=checkbox], [type=radio], [type=range]), textarea):not(:disabled, :read-only)',
  primary,
  '.dialog-body :is(button, input, select, a[href]):not(:disabled, [tabindex="-1"])',
]

/** Returns where the focus begins in a dialog; without a place it is on the button that closes. */
function startIn(dialog: HTMLElement): HTMLElement | null {
  for (const start of starts) {
    const place = dialog.querySelector<HTMLElement>(start)
    // A disabled control takes the focus when it is ready; until then no other control has it.
    if (place !== null) return place.matches(':disabled') ? dialog : place
  }
  return null
}

/** A modal dialog over a dimmed page: holds the focus, gives it back, closes on Escape. */
export function Dialog(props: DialogProps) {
  const { title, description, closeLabel, size = 'medium', onClose, children, footer } = props
  const giveBack = useOpener()
  const content = useRef<HTMLDivElement>(null)
  const isWaiting = useRef(false)
  /** Radix calls it where nothing in the dialog has taken the focus by itself. */
  const focusStart = (event: Event) => {
    const start = content.current && startIn(content.current)
    if (start === null) return
    event.preventDefault()
    isWaiting.current = start === content.current
    start.focus()
  }
  // At each rendering: what the dialog waits for comes from its parent.
  useEffect(() => {
    const action = content.current?.querySelector<HTMLElement>(`${primary}:not(:disabled)`)
    if (!isWaiting.current || !action) return
    isWaiting.current = false
    if (document.activeElement === content.current) action.focus()
  })
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-veil" />
        <Radix.Content
          ref={content}
          className={`dialog dialog-${size}`}
          onOpenAutoFocus={focusStart}
          onCloseAutoFocus={giveBack}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <header className="dialog-header">
            <Radix.Title className="dialog-title">{title}</Radix.Title>
            <IconButton icon="close" label={closeLabel} onClick={onClose} />
          </header>
          {description && <Radix.Description className="dialog-description">{description}</Radix.Description>}
          <div className="dialog-body">{children}</div>
          {footer && <footer className="row dialog-footer">{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
