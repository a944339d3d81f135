import { z } from 'zod'
import { SummaryOffer } from '../../../shared/domain/lore/chapter-summary.ts'
import type { WorkRepository } from '../../store/work-repository.ts'
import type { SourceMarks } from './summary-file.ts'

const offersKey = 'summary.offers'

const Mark = z.object({ hash: z.string(), sample: z.string() })
/** Shape: `mark` of a chapter; `episodes` and `marks` of several. */
const Offers = z.record(
  z.string(),
  SummaryOffer.extend({
    mark: Mark.nullable(),
    episodes: z.array(z.string()).default([]),
    marks: z.record(z.string(), Mark).default({}),
  }),
)
type Offers = z.infer<typeof Offers>

/** Key of the offer for the summary of several chapters; no file of a work has this path. */
export const wholeKey = '/'

/** The summaries of a work that wait for the author's decision, by the path of their chapter or by `wholeKey`. */
export function createSummaryOffers(state: Pick<WorkRepository, 'getState' | 'setState'>) {
  const offersOf = (workId: string): Offers => Offers.safeParse(state.getState(workId, offersKey)).data ?? {}
  return {
    offersOf,
    setOffer(workId: string, key: string, offer: Offers[string] | undefined): void {
      const { [key]: _, ...others } = offersOf(workId)
      state.setState(workId, offersKey, offer === undefined ? others : { ...others, [key]: offer })
    },
    /** Moves the offer for a renamed chapter to its new name. */
    moveOffers(workId: string, from: string, to: string): void {
      const nowAt = (path: string) => (path === from ? to : path)
      const offers = Object.entries(offersOf(workId))
      const moved = offers
        .filter(([path]) => path !== to)
        .map(([path, offer]) => {
          const marks = renamedMarks(offer.marks, nowAt)
          return [nowAt(path), { ...offer, episodes: offer.episodes.map(nowAt), marks }] as const
        })
      if (offers.length > 0) state.setState(workId, offersKey, Object.fromEntries(moved))
    },
  }
}

export function renamedMarks(marks: SourceMarks, nowAt: (path: string) => string): SourceMarks {
  return Object.fromEntries(Object.entries(marks).map(([path, mark]) => [nowAt(path), mark]))
}
