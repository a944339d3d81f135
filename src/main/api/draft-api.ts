import type { draftContract } from '../../shared/contract/draft.ts'
import type { Api } from '../../shared/contract/index.ts'
import type { RewritePreset } from '../../shared/domain/drafting/rewrite.ts'
import type { Run, RunEvent } from '../../shared/domain/drafting/run.ts'
import { goesOnFrom, type Take } from '../../shared/domain/drafting/take.ts'
import type { DraftService, DraftWorks } from '../drafting/draft-service.ts'
import type { DraftWords } from '../drafting/draft-words.ts'
import type { EndlessDrafts } from '../drafting/endless-drafts.ts'
import type { PendingPlaces } from '../drafting/takes/pending-places.ts'
import type { TakeService } from '../drafting/takes/take-service.ts'
import { nextWordsOf } from '../drafting/takes/take-words.ts'
import type { ModelService } from '../models/model-service.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import { done } from './done.ts'

/** Drafts, their runs and their takes. */
export function createDraftApi(parts: {
  drafts: DraftService
  endless: EndlessDrafts
  words: Record<'ja' | 'en', DraftWords>
  /** Reads the rewrite presets that come with the program. */
  rewrites: () => Promise<Record<'ja' | 'en', RewritePreset[]>>
  /** Errors: `model/none`. */
  activeModel: ModelService['active']
  runs: RunRegistry
  takes: TakeService
  places: PendingPlaces
  works: Pick<DraftWorks, 'follow'>
}): Pick<Api, keyof typeof draftContract> {
  const { drafts, endless, words, rewrites, activeModel, runs, takes, places, works } = parts
  const placed = <T extends Run | Take>(item: T): T => {
    const place = places.placeOf(item.takeId)
    return place ? { ...item, position: place.position, placeFrom: place.from } : item
  }
  /** Continues to follow the place of a continuation that an earlier host offered. */
  const followAgain = async (take: Take): Promise<void> => {
    const { takeId, workId, path, mode, state, position, placeFrom } = take
    if (mode !== 'generate' || state !== 'pending') return
    if (!places.placeOf(takeId))
      places.follow(takeId, position, (stop) => works.follow(workId, path, stop), placeFrom)
    // A change that came before would not move the place that is told.
    await places.begun(takeId)
  }
  /** A take of which only a part was accepted: the rest of it is still offered. */
  const isDecided = ({ takeId, workId, state, acceptedLength, text }: Take): boolean => {
    if (state !== 'inserted') return state !== 'pending'
    // The stored take of a running run lacks its newest text.
    const run = runs.list(workId).find((one) => one.takeId === takeId)
    return acceptedLength >= (run ?? { text }).text.length
  }
  /**
   * Dismisses the other takes of a place once one was accepted there. A take that begins with the accepted text stays,
   * since it goes on from there.
   */
  const closePlace = (take: Take): void => {
    const { takeId, workId, path, mode, placeId, acceptedLength } = take
    if (mode !== 'generate' || placeId === '' || acceptedLength === 0) return
    for (const other of takes.list({ workId, path, mode, limit: 50 }).takes) {
      const isOpen = other.placeId === placeId && other.takeId !== takeId && other.state === 'pending'
      if (!isOpen || goesOnFrom(take, other.text)) continue
      takes.decide(other.takeId, { state: 'dismissed' })
      places.drop(other.takeId)
    }
  }

  async function* placedEvents(events: AsyncIterable<RunEvent>): AsyncGenerator<RunEvent, void, void> {
    for await (const event of events) {
      yield event.type === 'snapshot' ? { ...event, run: placed(event.run) } : event
    }
  }

  return {
    'draft.preview': (request, { signal }) => drafts.preview(request, signal),
    'draft.start': async ({ isEndless, rewrite, ...request }, { signal }) => ({
      run: rewrite
        ? await drafts.start({ ...request, mode: 'rewrite', rewrite }, signal)
        : await (isEndless || request.takes ? endless : drafts).start(request, signal),
    }),
    'draft.rewrites': rewrites,
    'draft.words': (place, { signal }) => nextWordsOf({ takes, runs, activeModel }, place, signal),
    'draft.stopEndless': done(({ workId }) => endless.stop(workId)),
    'draft.watchEndless': ({ workId }, { signal }) => endless.watch(workId, signal),
    'draft.ideaWords': async () => ({ ja: { fields: words.ja.fields }, en: { fields: words.en.fields } }),
    'draft.tellSummaries': done(({ workId }) => drafts.tellSummaries(workId)),
    'draft.reroll': done(({ workId }) => drafts.reroll(workId)),
    'draft.fixRoll': done(({ workId, roll }) => drafts.fixRoll(workId, roll)),
    'run.list': async ({ workId }) => ({ runs: runs.list(workId).map(placed) }),
    'run.watch': ({ runId, afterSeq }, { signal }) => placedEvents(runs.watch(runId, afterSeq, signal)),
    'run.stop': done(({ runId }) => runs.stop(runId)),
    'take.list': async (query) => {
      const page = takes.list(query)
      await Promise.all(page.takes.map(followAgain))
      return { takes: page.takes.map(placed), hasMore: page.hasMore }
    },
    'take.get': async ({ takeId }) => takes.get(takeId),
    'take.update': async ({ takeId, isWhole, ...decision }) => {
      const take = takes.decide(takeId, decision)
      if (isDecided(take)) places.drop(takeId)
      closePlace(take)
      if (decision.acceptedLength !== undefined) endless.accepted(take, isWhole)
      if (take.acceptedLength > 0) await drafts.accepted(take)
      return { take }
    },
    'take.watch': ({ workId }, { signal }) => takes.watch(workId, signal),
  }
}
