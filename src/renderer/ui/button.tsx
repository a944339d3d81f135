import './button.css'
import type { ComponentProps } from 'react'
import { Icon, type IconName } from './icon.tsx'

type ButtonProps = ComponentProps<'button'> & {
  /** `primary`: the one offered action (seam). `quiet`: no edge until pointed at. `warning`: what is offered is risky. */
  look?: 'primary' | 'normal' | 'quiet' | 'danger' | 'warning'
  icon?: IconName
}

export function Button({ look = 'normal', icon, className = '', children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button button-${look} ${className}`} {...rest}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

/** A button that only its class gives a look. */
export function PlainButton({ className, ...rest }: ComponentProps<'button'>) {
  return <button type="button" className={`plain-button ${className}`} {...rest} />
}

type IconButtonProps = Omit<ButtonProps, 'look' | 'children'> & { icon: IconName; label: string }

/** A button that shows only a drawing; `label` is its name and its tooltip. */
export function IconButton({ icon, label, className = '', ...rest }: IconButtonProps) {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  )
}
