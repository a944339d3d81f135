import type { SessionItem } from '../../shared/domain/session/session-item.ts'

/** Returns an open item as ended, where nothing will end it any more; null for an item that has ended. */
export function endedItem(item: SessionItem): SessionItem | null {
  switch (item.kind) {
    case 'answer':
      return item.state === 'writing' ? { ...item, state: 'stopped' } : null
    case 'call': {
      const isOpen = item.state === 'waiting' || item.state === 'asked' || item.state === 'running'
      return isOpen ? { ...item, state: 'refused', outcome: 'stopped' } : null
    }
    case 'gate':
      return item.state === 'open' ? { ...item, state: 'withdrawn' } : null
    case 'question':
      return item.isOpen ? { ...item, isOpen: false } : null
    default:
      return null
  }
}
