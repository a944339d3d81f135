import { z } from 'zod'
import { MessageSegment } from '../../shared/domain/message-segment.ts'
import type { AppStore } from './app-store.ts'

const Drafts = z.record(z.string(), z.array(MessageSegment))
const storageKey = 'tsugi.drafts'

/**
 * What was written and not sent yet outlives a reload of the window.
 *
 * `storage`: of this window alone, and gone with it; where it keeps nothing, nothing is kept.
 */
export function keepDrafts(
  store: Pick<AppStore, 'getState' | 'setState'>,
  storage: Pick<Storage, 'getItem' | 'setItem'> | null,
  page: Pick<Window, 'addEventListener'>,
): void {
  const drafts = readDrafts(storage?.getItem(storageKey) ?? null)
  store.setState(({ sessions }) => ({ sessions: { ...sessions, drafts: { ...drafts, ...sessions.drafts } } }))
  page.addEventListener('pagehide', () => {
    const written = Object.entries(store.getState().sessions.drafts).filter(
      ([, segments]) => segments.length > 0,
    )
    try {
      storage?.setItem(storageKey, JSON.stringify(Object.fromEntries(written)))
    } catch {
      // There is no room for so much: as where nothing is kept.
    }
  })
}

function readDrafts(json: string | null): z.infer<typeof Drafts> {
  try {
    return json === null ? {} : Drafts.parse(JSON.parse(json))
  } catch {
    // Another version wrote it.
    return {}
  }
}
