import type { ReactNode } from 'react'
import { IconButton } from '../../ui/button.tsx'

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

/** Something of the user's that can be switched and removed: a server, a check, a hook. */
export function ToolRow(props: ToolRowProps) {
  const { onLabel, removeLabel, title, isOn, onSwitch, onRemove, state, children } = props
  return (
    <li className="tool-row">
      <div className="row">
        <label className="row grow">
          <input
            type="checkbox"
            className="check"
            aria-label={onLabel}
            checked={isOn}
            onChange={({ target }) => onSwitch(target.checked)}
          />
          {title}
        </label>
        {state}
        <IconButton icon="close" label={removeLabel} onClick={onRemove} />
      </div>
      {children !== undefined && <div className="tool-row-more">{children}</div>}
    </li>
  )
}
