import './button.css'
import type { ComponentProps } from 'react'
import { Icon, type IconName } from './icon.tsx'

type ButtonProps = ComponentProps<'button'> & {
  /** `primary`: the one action that is proposed. `quiet`: without a border until the pointer is over it. `warning`: the action is risky. */
  variant?: 'primary' | 'normal' | 'quiet' | 'danger' | 'warning'
  icon?: IconName
}

export function Button({ variant = 'normal', icon, className = '', children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button button-${variant} ${className}`} {...rest}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

/** A button without a style of its own: `className` brings it. */
export function PlainButton({ className, ...rest }: ComponentProps<'button'>) {
  return <button type="button" className={`plain-button ${className}`} {...rest} />
}

type IconButtonProps = Omit<ButtonProps, 'variant' | 'children'> & { icon: IconName; label: string }

/** A button that shows only a drawing; `label` is its name and its tooltip. */
export function IconButton({ icon, label, className = '', ...rest }: IconButtonProps) {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  )
}
