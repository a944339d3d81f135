import './menu.css'
import { DropdownMenu as Radix, ContextMenu as RadixContext } from 'radix-ui'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Kbd } from '../kbd.tsx'

export type MenuItem = {
  id: string
  label: string
  keys?: readonly string[]
  isDanger?: boolean
  isDisabled?: boolean
  onSelect: () => void
}

type MenuProps = { trigger: ReactNode; items: readonly MenuItem[]; align?: 'start' | 'end' }

/** A menu that a button opens; `trigger` is that button. It closes when the button leaves the screen. */
export function Menu({ trigger, items, align = 'end' }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen || button.current === null) return
    // The menu would follow its button even out of the window.
    const watch = new IntersectionObserver((seen) => {
      if (seen.at(-1)?.isIntersecting === false) setOpen(false)
    })
    watch.observe(button.current)
    return () => watch.disconnect()
  }, [isOpen])
  return (
    <Radix.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <Radix.Trigger asChild ref={button}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="floating menu"
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={keepField}
        >
          {rowsOf(items, Radix.Item)}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

type ContextMenuProps = { items: readonly MenuItem[]; isOff?: boolean; children: ReactNode }

/**
 * The menu of a row at the pointer, by a right click, or at the focus, by the menu key; `children` is that row.
 * `isOff`: the row is a field at the moment, which has the system's menu.
 */
export function ContextMenu({ items, isOff = false, children }: ContextMenuProps) {
  return (
    <RadixContext.Root modal={false}>
      <RadixContext.Trigger asChild disabled={isOff}>
        {children}
      </RadixContext.Trigger>
      <RadixContext.Portal>
        <RadixContext.Content className="floating menu" collisionPadding={8} onCloseAutoFocus={keepField}>
          {rowsOf(items, RadixContext.Item)}
        </RadixContext.Content>
      </RadixContext.Portal>
    </RadixContext.Root>
  )
}

function rowsOf(items: readonly MenuItem[], Row: typeof Radix.Item | typeof RadixContext.Item) {
  return items.map(({ id, label, keys, isDanger, isDisabled = false, onSelect }) => {
    const className = isDanger ? 'menu-item menu-danger' : 'menu-item'
    return (
      <Row key={id} className={className} disabled={isDisabled} onSelect={onSelect}>
        <span className="grow">{label}</span>
        {keys && <Kbd keys={keys} />}
      </Row>
    )
  })
}

/** Keeps the focus in a field that the chosen item opened. */
function keepField(event: Event): void {
  if (document.activeElement?.matches('input, textarea, [contenteditable]')) event.preventDefault()
}
