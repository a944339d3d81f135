import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useWords } from '../../state/store-context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Check } from '../../ui/fields/choice-field.tsx'
import { Form } from '../../ui/fields/form.tsx'

type ToolRowProps = {
  /** Labels of the switch and of the button behind it, for screen readers. */
  onLabel: string
  removeLabel: string
  title: ReactNode
  isOn: boolean
  onSwitch(isOn: boolean): void
  onRemove(): void
  /** Between the title and the button that removes. */
  state?: ReactNode
  /** Below both. */
  children?: ReactNode
}

/** An entry that the user can switch and remove: a server, a check, a hook. */
export function ToolRow(props: ToolRowProps) {
  const { onLabel, removeLabel, title, isOn, onSwitch, onRemove, state, children } = props
  return (
    <li className="tool-row">
      <div className="row">
        <Check className="row grow" aria-label={onLabel} checked={isOn} onChange={onSwitch}>
          {title}
        </Check>
        {state}
        <IconButton icon="close" label={removeLabel} onClick={onRemove} />
      </div>
      {children !== undefined && <div className="tool-row-more">{children}</div>}
    </li>
  )
}

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
  const submit = async () => {
    if (await onAdd()) show(false)
  }
  return (
    <div ref={part}>
      {isOpen ? (
        <Form className="card tool-form" aria-label={label} onSubmit={() => void submit()}>
          {children}
          <div className="row">
            <Button type="submit" variant="primary">
              {t('action.add')}
            </Button>
            <Button onClick={() => show(false)}>{t('action.cancel')}</Button>
          </div>
        </Form>
      ) : (
        <Button icon="add" onClick={() => show(true)}>
          {label}
        </Button>
      )}
    </div>
  )
}
