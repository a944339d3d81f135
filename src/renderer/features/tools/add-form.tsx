import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'

type AddFormProps = {
  label: string
  children: ReactNode
  /** False: something is missing, and the form stays open. */
  onAdd(): boolean | Promise<boolean>
  /** The form was opened or closed: what was typed before does not count. */
  onClear(): void
}

/** One button that opens a form in its place, until something was added by it. */
export function AddForm({ label, children, onAdd, onClear }: AddFormProps) {
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const part = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (isOpen !== wasOpen.current)
      part.current?.querySelector<HTMLElement>(isOpen ? 'input' : 'button')?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  const show = (next: boolean) => {
    onClear()
    setIsOpen(next)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await onAdd()) show(false)
  }
  return (
    <div ref={part}>
      {isOpen ? (
        <form className="card tool-form" aria-label={label} onSubmit={(event) => void submit(event)}>
          {children}
          <div className="row">
            <Button type="submit" look="primary">
              {t('action.add')}
            </Button>
            <Button onClick={() => show(false)}>{t('action.cancel')}</Button>
          </div>
        </form>
      ) : (
        <Button icon="add" onClick={() => show(true)}>
          {label}
        </Button>
      )}
    </div>
  )
}
