import type {
  SpeculationEvent,
  SpeculationPause,
  SpeculationSummary,
} from '../../../../shared/domain/session/speculation.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

export type LoggedSpeculation = SpeculationEvent & { seq: number }

const pageLength = 50

const initial = {
  /** Null until they were asked for. Newest first. */
  events: null as LoggedSpeculation[] | null,
  hasMore: false,
  summary: null as SpeculationSummary | null,
  /** Why no speculation runs any more; null: they run where the settings say so. */
  pause: null as SpeculationPause | null,
  error: null as ErrorInfo | null,
}

/** The record of speculations of all sessions; erased with the record of suggestions. */
export function createSpeculationLogSlice({ client, get, patch }: SliceContext) {
  let asked = 0

  /** Runs a task; of several answers, only the one that was asked for last counts. */
  const attempt = async (task: () => Promise<Partial<typeof initial>>) => {
    const mine = ++asked
    let part: Partial<typeof initial>
    try {
      part = { ...(await task()), error: null }
    } catch (error) {
      part = { error: infoOf(error) }
    }
    if (mine === asked) patch('speculationLog', part)
  }
  const newest = () => client['speculation.list']({ limit: pageLength })

  return {
    ...initial,

    load: () => attempt(newest),
    loadMore: () =>
      attempt(async () => {
        const known = get().speculationLog.events ?? []
        const before = known.at(-1)?.seq
        if (before === undefined) return newest()
        const answer = await client['speculation.list']({ before, limit: pageLength })
        return { ...answer, events: [...known, ...answer.events] }
      }),
    resume: () =>
      attempt(async () => {
        await client['speculation.resume']({})
        return newest()
      }),
  }
}
