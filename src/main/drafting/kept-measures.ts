import { z } from 'zod'
import type { RunFigures } from '../../shared/domain/drafting/run.ts'
import { isAppError } from '../../shared/errors.ts'
import { sharedLength } from '../../shared/text/difference/text-similarity.ts'
import type { SettingRepository } from '../store/app/setting-repository.ts'

/** The last measurement for each model profile. */
export type Measures = {
  get(profileId: string): number | undefined
  set(profileId: string, value: number): void
  delete(profileId: string): void
}

/** Most profiles that are remembered; those measured last are kept. */
const limitProfiles = 100
const Kept = z.array(z.tuple([z.string(), z.number()]))

/** Returns measures that are kept under a name for the next host. While the disk is full, only this host has them. */
export function keptMeasures(settings: Pick<SettingRepository, 'get' | 'set'>, name: string): Measures {
  const measures = new Map(Kept.safeParse(settings.get(name)).data)
  const keep = () => {
    try {
      settings.set(name, [...measures].slice(-limitProfiles))
    } catch (error) {
      if (!isAppError(error, 'file/disk-full')) throw error
    }
  }
  return {
    get: (profileId) => measures.get(profileId),
    set(profileId, value) {
      if (measures.get(profileId) === value) return
      measures.delete(profileId)
      measures.set(profileId, value)
      keep()
    },
    delete(profileId) {
      if (measures.delete(profileId)) keep()
    },
  }
}

/** Length of the text that is looked for behind a cut, and the least that is. Units: UTF-16. */
const probe = { most: 100, least: 20 } as const
/** Least part of a prompt behind a cut by which a page tells whether its server keeps that. */
const tellingShare = 0.3
/** Pages in a row that a server must have read again, although it had their text, until it counts as one that does. */
const judgedPages = 2

/**
 * Estimates how much of a page's prompt a model need not read again: by what its server read last, else by the last page
 * of the work. `lastRead`: as `ModelClient.lastRead`, before this prompt was sent.
 *
 * Shape: `readAgain` has, by profile, how many pages in a row its server read again behind a beginning that was cut, up
 * to the number that is judged by; 0: it was seen to keep what stands there, as KoboldCpp can.
 */
export function createPageReuse(readAgain: Measures = new Map()) {
  /** The last prompt with its answer, by work and model, for a server that does not tell what it read last. */
  const lastTexts = new Map<string, string>()
  return {
    /** Returns the estimate by the shared characters; null before the first request. Units: tokens. */
    estimate(
      key: string,
      profileId: string,
      prompt: string,
      totalTokens: number,
      lastRead = lastTexts.get(key),
    ): number | null {
      if (!lastRead) return null
      const { shared, moved } = kept(prompt, lastRead)
      const chars = readAgain.get(profileId) === 0 ? moved : shared
      return Math.floor((chars / prompt.length) * totalTokens)
    },
    /** True for a server that reads everything again where the beginning of a text is cut. */
    readsAgain: (profileId: string): boolean => (readAgain.get(profileId) ?? 0) >= judgedPages,
    /** Notes the figures of a page that was read, which show whether the server's cache moves with the text. */
    remember(
      key: string,
      profileId: string,
      page: {
        prompt: string
        answer: string
        figures: Pick<RunFigures, 'promptTokens' | 'reusedTokens'>
        lastRead?: string | undefined
      },
    ): void {
      const { prompt, answer, figures } = page
      if (prompt === '') return
      const last = page.lastRead ?? lastTexts.get(key)
      lastTexts.set(key, prompt + answer)
      const { promptTokens, reusedTokens } = figures
      if (!last || promptTokens === null || reusedTokens === null) return
      const { shared, moved } = kept(prompt, last)
      if (moved - shared < prompt.length * tellingShare) return
      const reusedChars = (reusedTokens / promptTokens) * prompt.length
      const wasKept = reusedChars > (shared + moved) / 2
      readAgain.set(profileId, wasKept ? 0 : Math.min(judgedPages, (readAgain.get(profileId) ?? 0) + 1))
    },
  }
}

/**
 * Returns up to where a prompt stands in the last text: `shared` from its beginning, `moved` with one part of the last
 * text cut out. Units: UTF-16 positions in the prompt.
 */
function kept(prompt: string, last: string): { shared: number; moved: number } {
  const shared = sharedLength(prompt, last)
  const behind = prompt.slice(shared)
  const at = behind.length < probe.least ? -1 : last.indexOf(behind.slice(0, probe.most), shared)
  return { shared, moved: at < 0 ? shared : shared + sharedLength(behind, last.slice(at)) }
}
