import type { StoryReport, StoryUse } from '../../shared/domain/lore/chapter-summary.ts'
import { indexCodePoints } from '../../shared/text/code-points.ts'
import type { StorySource } from '../lore/summaries/whole-summary.ts'
import type { PreparedDraft } from './draft-service.ts'

/** The summaries of earlier chapters, from which a prompt's story so far is chosen. */
export type DraftStory = StorySource & {
  /** Earlier chapters in order; `endsAt` is where each ends in the body. Units: code points; 0: it is not in it. */
  earlier: readonly { path: string; endsAt: number }[]
  /** Returns the present text of a chapter; undefined for a chapter that was not read. */
  textOf: (path: string) => string | undefined
}

export type PlacedStory = { text: string; report: StoryReport | null }

/** Returns earlier chapters of a draft, without those before `@startpoint`: the author keeps them from the model. */
export function earlierChapters(
  { draft, files }: Pick<PreparedDraft, 'draft' | 'files'>,
  before: readonly string[],
): DraftStory['earlier'] {
  const body = indexCodePoints(draft.body)
  const starts = draft.starts
  return before.flatMap((path) => {
    const at = starts.findIndex((start) => start.path === path)
    if (at < 0) return files.some((file) => file.path === path) ? [] : [{ path, endsAt: 0 }]
    return [{ path, endsAt: body.toCodePoint(starts[at + 1]?.from ?? draft.body.length) }]
  })
}

/**
 * Chooses the summaries of the chapters that are left out of the body whole, the oldest first. A summary of several
 * chapters replaces theirs; where the others do not all fit, the oldest are left out.
 *
 * Units: `cutChars` code points, `budgetTokens` tokens.
 */
export async function placeStory(
  { earlier, episodes, whole, unread, textOf }: DraftStory,
  cutChars: number,
  budgetTokens: number,
  price: (text: string) => Promise<number>,
): Promise<PlacedStory> {
  const left = earlier.filter(({ endsAt }) => endsAt <= cutChars).map(({ path }) => path)
  if (left.length === 0) return { text: '', report: null }
  // A summary of several chapters needs all of them to be left out: it must not tell what is sent or comes later.
  const together = whole?.episodes.every((path) => left.includes(path)) ? whole : null
  const covered = new Set(together?.episodes)
  const byPath = new Map(episodes.map((chapter) => [chapter.path, chapter]))
  const told: { path: string | null; file: string; text: string; isOutdated: boolean }[] = []
  if (together !== null) {
    const { file, text } = together
    const hasChanged = together.episodes.some((path) => {
      const now = textOf(path)
      return now !== undefined && together.isOutdated(path, now)
    })
    told.push({ path: null, file, text, isOutdated: hasChanged })
  }
  for (const path of left) {
    const chapter = byPath.get(path)
    if (chapter === undefined || covered.has(path)) continue
    const text = textOf(path)
    told.push({ ...chapter, isOutdated: text !== undefined && chapter.isOutdated(text) })
  }
  let room = budgetTokens
  const uses: StoryUse[] = []
  const texts: string[] = []
  const priced = await Promise.all(
    told.map(async (one) => ({ ...one, tokens: await price(`${one.text}\n\n`) })),
  )
  // The summary of several chapters first, then the newest: these matter most for what comes next.
  const [first, ...others] = priced
  const order = first?.path === null ? [first, ...others.toReversed()] : priced.toReversed()
  const standing = new Set<string>()
  for (const { file, tokens } of order) {
    if (tokens > room) {
      if (file !== together?.file) break
      continue
    }
    standing.add(file)
    room -= tokens
  }
  for (const { path, file, text, tokens, isOutdated: isOld } of priced) {
    const place = standing.has(file) ? 'standing' : 'left-out'
    uses.push({ path, file, place, isOutdated: isOld, tokens })
    if (place === 'standing') texts.push(text)
  }
  const lacking = left.filter((path) => !byPath.has(path) && !covered.has(path))
  const failed = unread.filter(({ path }) => path === null || lacking.includes(path))
  return {
    text: texts.join('\n\n'),
    report: {
      uses,
      missing: lacking.filter((path) => !failed.some((one) => one.path === path)),
      unread: failed,
      usedTokens: budgetTokens - room,
      budgetTokens,
    },
  }
}
