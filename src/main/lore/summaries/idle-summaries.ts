import { delay } from '../../../shared/delay.ts'
import {
  type ChapterSummary,
  type IdleSummaries,
  isOpenForNew,
} from '../../../shared/domain/lore/chapter-summary.ts'
import { isAppError } from '../../../shared/errors.ts'
import type { Clock } from '../../deps.ts'
import type { DocumentService } from '../../documents/document-service.ts'
import type { ActiveModel } from '../../models/profiles/active-model.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import type { WorkService } from '../../workspace/work/work-service.ts'
import type { ModelForLore } from '../ask-model.ts'
import { undefinedIfUnread } from '../material-files.ts'
import type { SummaryService } from './summary-service.ts'

/** Interval between two checks of whether the model is in use. Units: ms. */
const checkIntervalMs = 10_000
/** Time for which the model was not in use and a chapter not changed before it is summarised. Units: ms. */
export const idleMs = 120_000
/** Pause after a failure, and after there was nothing to do. Units: ms. */
const restMs = 600_000

export type IdleSummaryDeps = {
  clock: Clock
  works: Pick<WorkService, 'rootOf'>
  documents: Pick<DocumentService, 'read'>
  summaries: Pick<SummaryService, 'list' | 'makeInBackground'>
  activeModel: ModelForLore
  isWriting: () => boolean
}

type Status = Omit<IdleSummaries, 'made'>

/**
 * Writes missing and outdated summaries as offers while the model is not in use, one chapter at a time, and gives way
 * to any request of the user. The last chapter, those that the author summarised, those that have an offer and those
 * whose summary cannot be read are left alone. A server with a key is never asked: it may charge for each request.
 */
export function createIdleSummaries(deps: IdleSummaryDeps) {
  const { clock, works, documents, summaries } = deps
  /** Works whose summaries are already being written for a window. */
  const begun = new Set<string>()

  /** Returns why this model is not asked; null where it may be asked. */
  function hindrance({ profile, isDemo }: ActiveModel): 'demo' | 'remote' | null {
    if (isDemo) return 'demo'
    return profile.backend === 'openai' && profile.hasKey ? 'remote' : null
  }

  return async function* whileIdle(
    workId: string,
    signal: AbortSignal,
  ): AsyncGenerator<IdleSummaries, void, void> {
    let made = 0
    let shown = ''
    const changed = (status: Status): IdleSummaries[] => {
      const next = { ...status, made }
      const text = JSON.stringify(next)
      if (text === shown) return []
      shown = text
      return [next]
    }
    const state = (name: Status['state']): Status => ({ state: name, path: null, error: null })
    const root = works.rootOf(workId)
    const hashes = new Map<string, { hash: string; since: number }>()
    /** Hashes of chapters for which the model wrote nothing. */
    const silent = new Set<string>()

    const hashOf = async (path: string) =>
      contentHash(Buffer.from((await documents.read({ root, path })).text))

    /** Returns the first chapter that needs a summary and has not changed for a while. */
    async function next(episodes: readonly ChapterSummary[]): Promise<'complete' | 'changing' | string> {
      let isChanging = false
      for (const { path, state: known, offer } of episodes.slice(0, -1)) {
        if (!isOpenForNew(offer) || (known !== 'none' && known !== 'outdated')) continue
        const hash = await hashOf(path).catch(undefinedIfUnread)
        if (hash === undefined || silent.has(hash)) continue
        const before = hashes.get(path)
        if (before?.hash !== hash) hashes.set(path, { hash, since: clock.now() })
        if (clock.now() - (hashes.get(path)?.since ?? 0) >= idleMs) return path
        isChanging = true
      }
      return isChanging ? 'changing' : 'complete'
    }

    while (begun.has(workId)) {
      yield* changed(state('elsewhere'))
      await delay(clock, checkIntervalMs, signal)
    }
    begun.add(workId)
    try {
      let idleSince = clock.now()
      yield* changed(state('waiting'))
      for (;;) {
        await delay(clock, checkIntervalMs, signal)
        try {
          const model = await deps.activeModel(signal, 'main', 'background')
          const reason = hindrance(model)
          if (reason !== null) {
            yield* changed(state(reason))
            continue
          }
          if (deps.isWriting() || model.client.isBusy === true) idleSince = clock.now()
          if (clock.now() - idleSince < idleMs) {
            yield* changed(state('waiting'))
            continue
          }
          const wanted = await next((await summaries.list(workId)).episodes)
          if (wanted === 'changing') yield* changed(state('waiting'))
          else if (wanted === 'complete') {
            yield* changed(state('complete'))
            await delay(clock, restMs, signal)
          } else {
            yield* changed({ state: 'writing', path: wanted, error: null })
            const hash = await hashOf(wanted)
            const end = await summaries.makeInBackground(workId, wanted, signal)
            if (end === 'made') made += 1
            else if (end === 'empty') silent.add(hash)
            else idleSince = clock.now()
            yield* changed(state('waiting'))
          }
        } catch (error) {
          if (!isAppError(error)) throw error
          yield* changed({ state: 'failed', path: null, error: error.info })
          await delay(clock, restMs, signal)
        }
      }
    } finally {
      begun.delete(workId)
    }
  }
}
