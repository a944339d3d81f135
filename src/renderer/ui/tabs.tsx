import './tabs.css'
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

type Tab<V extends string> = { value: V; label: string; content: ReactNode }

type TabsProps<V extends string> = {
  label: string
  tabs: readonly Tab<V>[]
  value: V
  onChange: (value: V) => void
  /** `side`: names in a column at the left, for dialogs. */
  orientation?: 'top' | 'side'
}

/** Tabs with arrow keys; only the chosen one's content is in the page. */
export function Tabs<V extends string>({ label, tabs, value, onChange, orientation = 'top' }: TabsProps<V>) {
  return (
    <Radix.Root
      className={`tabs tabs-${orientation}`}
      value={value}
      orientation={orientation === 'side' ? 'vertical' : 'horizontal'}
      activationMode="manual"
      onValueChange={(next) => onChange(next as V)}
    >
      <Radix.List className="tab-list" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="tab"
            // From elsewhere the focus comes to the tab that was clicked last, also where another one is shown.
            onFocus={({ relatedTarget }) => relatedTarget?.role === 'tab' && onChange(tab.value)}
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="tab-content" tabIndex={-1}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
