import './menu.css'
import { DropdownMenu as Radix } from 'radix-ui'
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
    // A menu follows its button, out of the window, too.
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
          className="menu"
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={keepField}
        >
          {items.map((item) => (
            <Radix.Item
              key={item.id}
              className={item.isDanger ? 'menu-item menu-danger' : 'menu-item'}
              disabled={item.isDisabled ?? false}
              onSelect={item.onSelect}
            >
              <span className="grow">{item.label}</span>
              {item.keys && <Kbd keys={item.keys} />}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** A field that the chosen item opened keeps the focus. */
function keepField(event: Event): void {
  if (document.activeElement?.matches('input, textarea, [contenteditable]')) event.preventDefault()
}
