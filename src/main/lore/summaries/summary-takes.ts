import { z } from 'zod'
import type { Take, TakeEnd } from '../../../shared/domain/drafting/take.ts'
import type { SummaryOffer } from '../../../shared/domain/lore/chapter-summary.ts'
import { SourceMark, type SummarySource, wholePath } from '../../../shared/domain/lore/summary-source.ts'
import type { ModelUsage } from '../../../shared/domain/model/model-status.ts'
import { AppError, isAppError } from '../../../shared/errors.ts'
import type { Clock, Random } from '../../deps.ts'
import type { TakeService } from '../../drafting/takes/take-service.ts'
import type { ActiveModel } from '../../models/profiles/active-model.ts'
import type { WorkRepository } from '../../store/works/work-repository.ts'
import { type Question, questionPrompt } from '../ask-model.ts'

/** Interval at which the text of a take that is being written is stored. Units: ms. */
const keepMs = 1_000

const oldOffersKey = 'summary.offers'
/** An offer as earlier versions stored it, in one value of a work by the path of the chapter. */
const OldOffer = z.object({
  text: z.string(),
  modelName: z.string(),
  createdAt: z.number(),
  isCut: z.boolean().default(false),
  mark: SourceMark.nullable(),
  episodes: z.array(z.string()).default([]),
  marks: z.record(z.string(), SourceMark).default({}),
})

type SummaryTakesDeps = {
  clock: Clock
  random: Random
  takes: Pick<TakeService, 'add' | 'get' | 'list' | 'update' | 'summaries'>
  state: Pick<WorkRepository, 'getState' | 'setState'>
}

/** `now`: the path and the source by the present names of the chapters. `placeId`: as in `Take`; absent: a new one. */
type SummaryStart = {
  workId: string
  model: ActiveModel
  question: Question
  placeId: string | undefined
  now: () => { path: string; source: SummarySource }
}

/**
 * The takes of a work's summaries, by the path of their chapter or by `wholePath`. The newest undecided one of a path is
 * its offer.
 */
export function createSummaryTakes({ clock, random, takes, state }: SummaryTakesDeps) {
  /** Takes that are being written: they are offered at their end. */
  const writing = new Set<string>()

  function takeOf(values: Pick<Take, 'takeId' | 'workId' | 'path' | 'summary'> & Partial<Take>): Take {
    return {
      mode: 'summary',
      ideaTarget: 'all',
      placeId: values.takeId,
      task: 'SUMMARY',
      text: '',
      lead: '',
      position: 0,
      state: 'pending',
      acceptedLength: 0,
      stopReason: null,
      modelName: '',
      isDemo: false,
      promptTokens: null,
      completionTokens: 0,
      tokensPerSecond: null,
      elapsedMs: 0,
      createdAt: clock.now(),
      ...values,
    }
  }

  /** Makes takes of the offers of an earlier version; one that cannot be read stays where it is. */
  function convertOldOffers(workId: string, nowAt = (path: string) => path): void {
    const stored =
      z.record(z.string(), z.unknown()).safeParse(state.getState(workId, oldOffersKey)).data ?? {}
    for (const [path, value] of Object.entries(stored)) {
      const { success, data } = OldOffer.safeParse(value)
      if (!success) continue
      const { isCut, mark, episodes, marks, ...made } = data
      const source = renamedSource({ piece: 0, pieces: 1, isCut, mark, episodes, marks }, nowAt)
      const known = {
        workId,
        path: nowAt(path),
        summary: source,
        stopReason: isCut ? 'length' : 'stop',
      } as const
      const take = takeOf({ takeId: random.id(), ...known, ...made })
      takes.add({ take, prompt: [], rolls: [], sampler: {}, seed: 0 })
      delete stored[path]
      state.setState(workId, oldOffersKey, stored)
    }
  }

  function putAside(workId: string, path: string, except?: string): void {
    for (const { takeId, path: at } of takes.summaries(workId).pending)
      if (at === path && takeId !== except) takes.update(takeId, { state: 'dismissed' })
  }

  /** Returns a take of a work's summaries. Errors: `take/not-found`. */
  function get(workId: string, takeId: string): Take {
    const { take } = takes.get(takeId)
    if (take.workId !== workId || take.mode !== 'summary')
      throw new AppError({ code: 'take/not-found', takeId })
    return take
  }

  const isOffered = ({ takeId, state: now }: Take): boolean => now === 'pending' && !writing.has(takeId)

  return {
    get,
    isOffered,
    /** Returns the offers of a work by their paths, and how many takes each path has. */
    list(workId: string) {
      convertOldOffers(workId)
      const { pending, counts } = takes.summaries(workId)
      const offers = new Map<string, Take>()
      for (const take of pending) if (isOffered(take) && !offers.has(take.path)) offers.set(take.path, take)
      return { offers, counts }
    },

    /** Begins the take of one question. It is stored from its first text on, and then takes the place of the offer. */
    begin({ workId, model, question, placeId, now }: SummaryStart) {
      const takeId = random.id()
      const createdAt = clock.now()
      let usage: ModelUsage | undefined
      let triedAt = Number.NEGATIVE_INFINITY
      let isStored = false
      const keep = (text: string, stopReason: TakeEnd | null): void => {
        if (text === '') return
        const { promptTokens = null, completionTokens = 0, tokensPerSecond = null } = usage ?? {}
        const figures = {
          promptTokens,
          completionTokens,
          tokensPerSecond,
          elapsedMs: clock.now() - createdAt,
        }
        const end = { text, stopReason, ...figures }
        if (isStored) return void takes.update(takeId, end)
        const { path, source } = now()
        putAside(workId, path)
        const { modelName, isDemo, sampler, template } = model
        const made = { takeId, workId, path, placeId: placeId ?? takeId, modelName, isDemo, createdAt }
        const prompt = questionPrompt(template.wrapper, question.text).map((part) => ({
          origin: part.isSpecial ? ('wrapper' as const) : ('instruction' as const),
          text: part.text,
        }))
        const take = takeOf({ ...made, summary: source, ...end })
        takes.add({ take, prompt, rolls: [], sampler: { ...sampler }, seed: question.seed })
        isStored = true
      }
      writing.add(takeId)
      return {
        takeId,
        counted(figures: ModelUsage): void {
          usage = figures
        },
        /** Stores the text so far, now and then. A full disk is reported at the end. */
        write(text: string): void {
          if (clock.now() - triedAt < keepMs) return
          try {
            keep(text, null)
            if (isStored) triedAt = clock.now()
          } catch (error) {
            if (!isAppError(error, 'file/disk-full')) throw error
            triedAt = clock.now()
          }
        },
        end(text: string, stopReason: TakeEnd | null): void {
          writing.delete(takeId)
          keep(text, stopReason)
        },
      }
    },

    /** Keeps an offer as the author has changed it. */
    edit(workId: string, takeId: string, text: string): void {
      const take = get(workId, takeId)
      if (isOffered(take)) takes.update(takeId, { edited: text === take.text ? undefined : text })
    },
    /** Notes that the author accepted an offer with this text. */
    accepted({ takeId, workId, path, text }: Take, as: string): void {
      takes.update(takeId, {
        state: 'inserted',
        acceptedLength: text.length,
        edited: as === text ? undefined : as,
      })
      putAside(workId, path)
    },
    discard(workId: string, takeId: string): void {
      const take = get(workId, takeId)
      if (isOffered(take)) putAside(workId, take.path)
    },
    /** Offers a take again. */
    offer(workId: string, takeId: string): void {
      if (writing.has(takeId)) return
      putAside(workId, get(workId, takeId).path, takeId)
      takes.update(takeId, { state: 'pending' })
    },

    /** Renames a chapter in the takes that summarise several chapters. Takes of this chapter alone move with its file. */
    renamed(workId: string, from: string, to: string): void {
      const nowAt = (path: string) => (path === from ? to : path)
      convertOldOffers(workId, nowAt)
      for (const { takeId, summary } of takes.list({ workId, path: wholePath, mode: 'summary', limit: 1_000 })
        .takes)
        if (summary?.episodes.includes(from)) takes.update(takeId, { summary: renamedSource(summary, nowAt) })
    },
  }
}

export function renamedSource(source: SummarySource, nowAt: (path: string) => string): SummarySource {
  const marks = Object.fromEntries(Object.entries(source.marks).map(([path, mark]) => [nowAt(path), mark]))
  return { ...source, episodes: source.episodes.map(nowAt), marks }
}

export function offerOf({
  takeId,
  text,
  edited,
  modelName,
  createdAt,
  stopReason,
  summary,
}: Take): SummaryOffer {
  const { piece = 0, pieces = 1, isCut = false } = summary ?? {}
  return {
    takeId,
    text: edited ?? text,
    isEdited: edited !== undefined,
    modelName,
    createdAt,
    isCut: isCut || stopReason === 'length',
    isPartial: piece + 1 < pieces || stopReason === null || stopReason === 'aborted',
  }
}
