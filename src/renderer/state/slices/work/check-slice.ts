import type { CheckEvent, Contradiction } from '../../../../shared/domain/lore/mentions.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

/** The state of a check of a chapter. Shape: `pair` counts from 0, null before the first. */
type ChapterCheck = Omit<Extract<CheckEvent, { type: 'begun' }>, 'type'> & {
  workId: string
  path: string
  pair: number | null
  name: string
  contradictions: readonly Contradiction[]
  /** Claims whose quotations do not stand in the texts. */
  unproven: number
  /** Answers that could not be read as a judgement. */
  unreadable: number
  state: 'running' | 'finished' | 'stopped' | 'failed'
  error: ErrorInfo | null
}

/** The last check of a chapter against the entries that it mentions. */
export function createCheckSlice({ client, get, patch }: SliceContext) {
  let running: AbortController | undefined

  return {
    value: null as ChapterCheck | null,

    async start(path: string) {
      const workId = get().work.current?.workId
      if (workId === undefined) return
      running?.abort()
      const mine = new AbortController()
      running = mine
      let value: ChapterCheck = {
        workId,
        path,
        entries: 0,
        pairs: 0,
        pair: null,
        name: '',
        contradictions: [],
        unproven: 0,
        unreadable: 0,
        failedKeys: [],
        off: [],
        unread: [],
        state: 'running',
        error: null,
      }
      const show = (change: Partial<ChapterCheck>) => {
        value = { ...value, ...change }
        if (running === mine) patch('check', { value })
      }
      show({})
      try {
        await get().documents.flushAll()
        for await (const event of client['lore.check']({ workId, path }, { signal: mine.signal })) {
          show(told(value, event))
          if (get().work.current?.workId !== workId) mine.abort()
        }
        show({ state: mine.signal.aborted ? 'stopped' : 'finished' })
      } catch (error) {
        show(mine.signal.aborted ? { state: 'stopped' } : { state: 'failed', error: infoOf(error) })
      }
    },
    stop: () => running?.abort(),
  }
}

function told(check: ChapterCheck, event: CheckEvent): Partial<ChapterCheck> {
  switch (event.type) {
    case 'begun': {
      const { type, ...begun } = event
      return begun
    }
    case 'pair':
      return { pair: event.pair, name: event.name }
    case 'contradiction':
      return { contradictions: [...check.contradictions, event.contradiction] }
    case 'unproven':
      return { unproven: check.unproven + 1 }
    case 'unreadable':
      return { unreadable: check.unreadable + 1 }
  }
}
