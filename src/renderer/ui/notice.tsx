import './notice.css'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

type NoticeProps = {
  tone: 'plain' | 'warn' | 'bad'
  children: ReactNode
  actions?: ReactNode
  /** A field that belongs to it, over the whole width. */
  below?: ReactNode
}

/** One sentence beside the element that it concerns, with the actions that the user can take. */
export function Notice({ tone, children, actions, below }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {tone !== 'plain' && <Icon name="warn" />}
      <p className="grow">{children}</p>
      {actions && <div className="row notice-actions">{actions}</div>}
      {below}
    </div>
  )
}
