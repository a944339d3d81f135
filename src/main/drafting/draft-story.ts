import type { StoryReport, StoryUse } from '../../shared/domain/lore/chapter-summary.ts'
import type { ToldSummary } from '../../shared/domain/lore/lore.ts'
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

export type PlacedStory = { text: string; report: StoryReport | null; told: readonly ToldSummary[] }

/** True where there is a summary that a prompt may have. */
export function hasStory({ episodes, whole }: StorySource): boolean {
  return episodes.length > 0 || whole !== null
}

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
 * Returns the story so far of the chapters that are left out of the body whole: the summaries that the last page told,
 * `held`, as long as they still fit and tell of no other chapter; else the present ones.
 *
 * Units: `cutChars` code points, `budgetTokens` tokens.
 */
export async function placeStory(
  source: DraftStory,
  cutChars: number,
  budgetTokens: number,
  price: (text: string) => Promise<number>,
  held: readonly ToldSummary[] | undefined,
): Promise<PlacedStory> {
  const chosen = await chooseStory(source, cutChars, budgetTokens, price)
  const { report } = chosen
  const text = textOf(held ?? [])
  if (held === undefined || report === null || text === chosen.text) return chosen
  const left = new Set(leftOut(source.earlier, cutChars))
  if (!held.every(({ chapters }) => chapters.every((path) => left.has(path)))) return chosen
  const present = new Map(report.uses.map((use) => [use.file, use]))
  const uses = await Promise.all(
    held.map(async ({ path, file, text }): Promise<StoryUse> => {
      const isOutdated = present.get(file)?.isOutdated ?? false
      return { path, file, place: 'standing', isOutdated, tokens: await price(`${text}\n\n`) }
    }),
  )
  const usedTokens = uses.reduce((sum, { tokens }) => sum + tokens, 0)
  if (usedTokens > budgetTokens) return chosen
  for (const { file } of held) present.delete(file)
  for (const use of present.values()) uses.push(use.place === 'standing' ? { ...use, place: 'waiting' } : use)
  return { text, report: { ...report, uses, usedTokens, isHeld: true }, told: held }
}

function textOf(told: readonly Pick<ToldSummary, 'text'>[]): string {
  return told.map(({ text }) => text).join('\n\n')
}

function leftOut(earlier: DraftStory['earlier'], cutChars: number): string[] {
  return earlier.filter(({ endsAt }) => endsAt <= cutChars).map(({ path }) => path)
}

/**
 * Chooses present summaries, the oldest first. A summary of several chapters replaces theirs; where the others do not all
 * fit, the oldest are left out.
 */
async function chooseStory(
  { earlier, episodes, whole, unread, textOf: nowOf }: DraftStory,
  cutChars: number,
  budgetTokens: number,
  price: (text: string) => Promise<number>,
): Promise<PlacedStory> {
  const left = leftOut(earlier, cutChars)
  if (left.length === 0) return { text: '', report: null, told: [] }
  // A summary of several chapters needs all of them to be left out: it must not tell what is sent or comes later.
  const together = whole?.episodes.every((path) => left.includes(path)) ? whole : null
  const covered = new Set(together?.episodes)
  const byPath = new Map(episodes.map((chapter) => [chapter.path, chapter]))
  const found: (ToldSummary & { isOutdated: boolean })[] = []
  if (together !== null) {
    const { file, text } = together
    const hasChanged = together.episodes.some((path) => {
      const now = nowOf(path)
      return now !== undefined && together.isOutdated(path, now)
    })
    found.push({ path: null, file, text, chapters: [...together.episodes], isOutdated: hasChanged })
  }
  for (const path of left) {
    const chapter = byPath.get(path)
    if (chapter === undefined || covered.has(path)) continue
    const now = nowOf(path)
    const { file, text } = chapter
    const isOutdated = now !== undefined && chapter.isOutdated(now)
    found.push({ path, file, text, chapters: [path], isOutdated })
  }
  let room = budgetTokens
  const uses: StoryUse[] = []
  const told: ToldSummary[] = []
  const priced = await Promise.all(
    found.map(async (one) => ({ ...one, tokens: await price(`${one.text}\n\n`) })),
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
  for (const { tokens, isOutdated, ...one } of priced) {
    const { path, file } = one
    const place = standing.has(file) ? 'standing' : 'left-out'
    uses.push({ path, file, place, isOutdated, tokens })
    if (place === 'standing') told.push(one)
  }
  const lacking = left.filter((path) => !byPath.has(path) && !covered.has(path))
  const failed = unread.filter(({ path }) => path === null || lacking.includes(path))
  return {
    text: textOf(told),
    told,
    report: {
      uses,
      missing: lacking.filter((path) => !failed.some((one) => one.path === path)),
      unread: failed,
      isHeld: false,
      usedTokens: budgetTokens - room,
      budgetTokens,
    },
  }
}
