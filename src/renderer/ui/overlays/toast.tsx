import './toast.css'
import { Button, IconButton } from '../button.tsx'

type ToastView = { id: string; text: string; tone: 'plain' | 'bad'; actionLabel?: string }

type ToastListProps = {
  label: string
  closeLabel: string
  toasts: readonly ToastView[]
  onAction: (id: string) => void
  onClose: (id: string) => void
}

/** Shows messages that belong to no element of the page; screen readers announce them. */
export function ToastList({ label, closeLabel, toasts, onAction, onClose }: ToastListProps) {
  return (
    <section className="toast-list" aria-label={label} aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} className={`toast toast-${toast.tone}`} role="status">
          <span className="grow">{toast.text}</span>
          {toast.actionLabel && (
            <Button variant="quiet" onClick={() => onAction(toast.id)}>
              {toast.actionLabel}
            </Button>
          )}
          <IconButton icon="close" label={closeLabel} onClick={() => onClose(toast.id)} />
        </div>
      ))}
    </section>
  )
}
