import { z } from 'zod'
import type { SpeculationPause } from '../../shared/domain/session/speculation.ts'
import type { SettingRepository } from '../store/setting-repository.ts'
import type { SpeculationRepository } from '../store/speculation-repository.ts'

/** Number of finished runs that are judged; with fewer there is no pause. */
const judgedRuns = 20
/** Source: `docs/decisions/speculation.md`, Cost. */
const leastShare = 0.2

const key = 'speculation-pause'
/** Shape: `since`: the record's last position when the user resumed; runs before it do not count any more. */
const Kept = z.object({
  since: z.int(),
  pause: z.object({ accepted: z.int(), finished: z.int() }).nullable(),
})

export type SpeculationPausing = ReturnType<typeof pausingBy>

/** Pauses speculations that are hardly ever accepted, until the user resumes; a restart does not end the pause. */
export function pausingBy(
  events: Pick<SpeculationRepository, 'judged' | 'last'>,
  settings: Pick<SettingRepository, 'get' | 'set'>,
) {
  const kept = () => Kept.catch({ since: 0, pause: null }).parse(settings.get(key) ?? {})
  return {
    get: (): SpeculationPause | null => kept().pause,
    /** Called after each run that was decided on. */
    judge(): void {
      const { since, pause } = kept()
      if (pause !== null) return
      const runs = events.judged(since, judgedRuns)
      const accepted = runs.filter(({ outcome }) => outcome === 'accepted').length
      if (runs.length < judgedRuns || accepted >= judgedRuns * leastShare) return
      settings.set(key, { since, pause: { accepted, finished: runs.length } })
    },
    resume: (): void => settings.set(key, { since: events.last(), pause: null }),
  }
}
