import type { StoryReport } from '../../shared/domain/lore/chapter-summary.ts'
import {
  type LoreEntry,
  type LoreReport,
  type LoreState,
  LoreState as StoredState,
} from '../../shared/domain/lore/lore.ts'
import { countCodePoints } from '../../shared/text/code-points.ts'
import type { LoreScan, MatchedLore } from '../lore/lore-service.ts'
import {
  emptyLoreState,
  keptState,
  type PlacedLore,
  type PricedEntry,
  placeLore,
  reanchored,
  usesOf,
  withoutForgotten,
  withPage,
} from '../lore/place-lore.ts'
import type { PreparedDraft } from './draft-service.ts'
import { type DraftStory, hasStory, type PlacedStory, placeStory } from './draft-story.ts'
import type { FitRequest, FittedPrompt } from './fitting/body-room.ts'
import { fitDraft } from './fitting/fit-draft.ts'
import type { TokenCounter } from './fitting/token-meter.ts'
import { estimateTokens } from './prompt/draft-request.ts'
import { cutFollowing, type FollowingText, findFimTokens, readFollowing } from './prompt/following-text.ts'

/** The part of a work's lore that drafting needs; a work without materials has none. */
export type DraftLore = {
  match(workId: string, scan: LoreScan): Promise<MatchedLore | null>
  /** Returns whether a file's prompts change with its pages: by entries with keys, or summaries of earlier chapters. */
  isChanging(workId: string, path: string): Promise<boolean>
  state(workId: string): unknown
  setState(workId: string, state: LoreState): void
  /** Summaries of the chapters before the one that is continued; null: nothing can have been left behind. */
  story(prepared: PreparedDraft): Promise<DraftStory | null>
}

/** Most times that the story is chosen again: it takes room from the body, so that more of the body is cut off. */
const mostTurns = 4

/**
 * A fitted prompt with lore and story so far. `state` is to be stored once it is sent; null: nothing of it. `lore` null:
 * it has no lore.
 */
export type LoreFitted = FittedPrompt & {
  lore: { report: LoreReport; matched: string[] } | null
  state: LoreState | null
  loreRevision: string
  story: StoryReport | null
}

/** Token counts of entries by their text, for one model. */
export type EntryTokens = Map<string, number>

export function loreStateOf(lore: DraftLore, workId: string): LoreState {
  return StoredState.safeParse(lore.state(workId)).data ?? emptyLoreState
}

/** Notes that one of the takes of a place was accepted: the entries that their prompt matched count as a page. */
export function noteAccepted(lore: DraftLore, workId: string, placeId: string): void {
  const state = loreStateOf(lore, workId)
  const next = withPage(state, placeId)
  if (next !== state) lore.setState(workId, next)
}

/**
 * Fits a draft together with its lore and the story so far.
 *
 * The lore keeps its places, and the story its words, until the anchor moves: then both are chosen again, and fitted once
 * more with the new anchor, in the room that was reserved. In other modes nothing is promoted, since nothing is read again as a
 * whole. The story covers the chapters that are cut off whole: as it takes room itself, more may be cut, and it is chosen
 * again.
 *
 * Keys are looked for in the part of the body that is sent: first in what the last anchor sends, and once more where the
 * fit sends another part.
 *
 * Shape: `matchIn` looks for keys at the end of the body. Units: `sentChars`, `scanChars` code points.
 */
export async function fitWithLore(
  request: FitRequest,
  matchIn: (sentChars: number) => Promise<MatchedLore | null>,
  stored: LoreState,
  options: {
    budgetShare: number
    storyShare: number
    scanChars: number
    story: DraftStory | null
    entryTokens: EntryTokens
  },
): Promise<LoreFitted> {
  const isAnchored = request.settings.fitMode === 'anchored'
  const fromChars = (isAnchored ? request.anchor?.fromChars : undefined) ?? 0
  const scanned = (sentChars: number) => Math.max(0, Math.min(sentChars, options.scanChars))
  const scannedChars = scanned(countCodePoints(request.draft.body) - fromChars)
  let matched = await matchIn(scannedChars)
  const hasEntries = matched !== null && matched.inForce.length > 0
  // Entries that cannot be read are told, and change nothing of the prompt.
  const hasLore =
    hasEntries || (matched !== null && (matched.problems.length > 0 || matched.unread.length > 0))
  const contextTokens = request.contextTokens ?? 0
  const budgetTokens = hasEntries ? Math.trunc(contextTokens * options.budgetShare) : 0
  const storyTokens = Math.trunc(contextTokens * options.storyShare)
  const { story: source } = options
  const isTold = source !== null && hasStory(source)
  const price = pricer(request, options.entryTokens)
  let state = isAnchored ? stored : withoutForgotten(stored)
  const moved = isAnchored && (isTold || isKeyed(matched)) ? await afterMove() : undefined
  let placed = await place(state)
  let held = isAnchored && request.anchor !== undefined ? stored.told : undefined
  let story = await storyAt(fromChars)
  let fitted = await fitDraft(requestWith(placed, story))
  const isMoved = isAnchored && hasMoved(request.anchor, fitted.anchor)
  const isScanMoved = hasEntries && scanned(fitted.keptChars) !== scannedChars
  if (isScanMoved) matched = await matchIn(scanned(fitted.keptChars))
  if (isMoved) {
    state = { ...reanchored(state, matchedPaths()), recentTokens: fitted.recentTokens ?? null }
    held = undefined
  }
  if (isMoved || isScanMoved) placed = await place(state)
  for (let turn = 0; turn < mostTurns; turn++) {
    const next = await storyAt(fitted.bodyChars - fitted.keptChars)
    const isSame = next.text === story.text
    story = next
    if (isSame && !(turn === 0 && (isMoved || isScanMoved) && hasEntries)) break
    const { anchor } = fitted
    fitted = await fitDraft({ ...requestWith(placed, story), ...(anchor === undefined ? {} : { anchor }) })
  }
  const loreRevision = matched?.revision ?? ''
  const told = isAnchored && options.story !== null ? { told: [...story.told] } : {}
  if (!hasLore || matched === null) {
    const next = options.story === null ? null : { ...stored, ...told }
    return { ...fitted, lore: null, state: next, loreRevision, story: story.report }
  }
  const { reasons, problems, unread } = matched
  const unmatched = { kind: isAnchored ? 'sticky' : 'remembered' } as const
  return {
    ...fitted,
    lore: {
      report: {
        uses: usesOf(placed, ({ entry }) => reasons.get(entry.path) ?? unmatched),
        usedTokens: tokensOf([...placed.standing, ...placed.recent]),
        budgetTokens: Math.min(
          budgetTokens,
          tokensOf(placed.standing) + (state.recentTokens ?? Number.POSITIVE_INFINITY),
        ),
        problems,
        unread,
      },
      matched: matchedPaths(),
    },
    state: { ...keptState(state, placed), ...told },
    loreRevision,
    story: story.report,
  }

  function matchedPaths(): string[] {
    const { inForce = [], reasons } = matched ?? {}
    return inForce.filter(({ path }) => reasons?.get(path)?.kind === 'match').map(({ path }) => path)
  }

  async function place(from: LoreState): Promise<PlacedLore> {
    const held = new Set([...from.standing, ...from.recent])
    const priced: PricedEntry[] = []
    for (const entry of matched?.inForce ?? []) {
      const reason = matched?.reasons.get(entry.path)
      if (reason === undefined && !held.has(entry.path)) continue
      priced.push({ entry, tokens: await price(`${loreText(entry)}\n\n`), isMatched: reason !== undefined })
    }
    // An idea has no text that would be read again: only the budget limits its lore.
    const isPage = request.frame.mode === 'generate'
    return placeLore(isPage ? from : { ...from, recentTokens: null }, priced, budgetTokens)
  }

  async function storyAt(cutChars: number): Promise<PlacedStory> {
    if (source === null) return { text: '', report: null, told: [] }
    return placeStory(source, cutChars, storyTokens, price, held)
  }

  /** Returns what standing lore and story would take if the anchor moved now, the story at most. Units: tokens. */
  async function afterMove(): Promise<{ standingTokens: number; storyTokens: number }> {
    const { standing } = await place(reanchored(state, matchedPaths()))
    const most = source && (await placeStory(source, Number.POSITIVE_INFINITY, storyTokens, price, undefined))
    return { standingTokens: tokensOf(standing), storyTokens: most?.report?.usedTokens ?? 0 }
  }

  function requestWith(lore: PlacedLore, { text, report }: PlacedStory): FitRequest {
    if (!hasEntries && !isTold) return request
    const usedTokens = tokensOf([...lore.standing, ...lore.recent]) + (report?.usedTokens ?? 0)
    return {
      ...request,
      frame: {
        ...request.frame,
        ...(hasEntries && { lore: { standing: textOf(lore.standing), recent: textOf(lore.recent) } }),
        ...(text !== '' && { story: text }),
      },
      ...(moved && {
        memory: {
          addedTokens: moved.standingTokens + moved.storyTokens - usedTokens,
          recentTokens: isKeyed(matched) ? Math.max(0, budgetTokens - moved.standingTokens) : 0,
        },
      }),
    }
  }
}

/** True where entries come and go with the pages. */
function isKeyed(matched: MatchedLore | null): boolean {
  return matched?.inForce.some(({ always }) => !always) ?? false
}

function tokensOf(priced: readonly PricedEntry[]): number {
  return priced.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** Cuts the text after the caret to what the prompt has room for. Undefined where the prompt shall not hold it. */
export async function followingFor(
  { following: source, settings, model, frame }: PreparedDraft,
  { contextTokens, outputTokens }: Pick<FitRequest, 'contextTokens' | 'outputTokens'>,
  signal: AbortSignal,
): Promise<FollowingText | undefined> {
  const { followingText } = settings
  const following = readFollowing(source)
  if (following === '' || followingText === 'none' || contextTokens === undefined) return undefined
  const fim = followingText === 'auto' ? await findFimTokens(model.client, signal) : undefined
  // Without an instruction or fill-in tokens, the model would continue the following text.
  if (fim === undefined && frame.form === 'text') return undefined
  const text = cutFollowing(following, contextTokens - outputTokens, (each) =>
    estimateTokens([{ text: each }]),
  )
  return { text, ...(fim && { fim }) }
}

/** Returns an entry in the form of the fields before it. */
export function loreText({ name, text }: Pick<LoreEntry, 'name' | 'text'>): string {
  return `# ${name}:\n${text}`
}

function textOf(priced: readonly PricedEntry[]): string {
  return priced.map(({ entry }) => loreText(entry)).join('\n\n')
}

function pricer({ counter, signal }: { counter: TokenCounter; signal: AbortSignal }, known: EntryTokens) {
  return async (text: string): Promise<number> => {
    const id = `${counter.isEstimate ? '~' : ''}${text}`
    const tokens =
      known.get(id) ?? (await counter.count([{ origin: 'lore', text }], signal, { isPiece: true }))
    known.set(id, tokens)
    return tokens
  }
}

/** True where the body begins elsewhere than before; a work's first anchor at its very beginning has not moved. */
function hasMoved(before: FitRequest['anchor'], after: FittedPrompt['anchor']): boolean {
  if (after === undefined) return false
  if (before === undefined) return after.fromChars > 0
  return before.fromChars !== after.fromChars && before.headText !== after.headText
}

/**
 * Returns the text that is searched for keys: the end of the body; for an idea, which has none, three fields. Units:
 * code points.
 */
export function loreScan({ request, settings, draft, files }: PreparedDraft, chars: number): LoreScan {
  const { fields, body } = draft
  const { synopsis, setting, plot } = fields
  const isIdea = request.mode === 'idea'
  const text = isIdea ? [synopsis, setting, plot].join('\n') : body
  const most = isIdea ? settings.loreScanChars : chars
  return {
    text: most === 0 ? '' : [...text.slice(-2 * most)].slice(-most).join(''),
    note: fields.authorsNote,
    path: request.path,
    isRecursive: settings.loreRecursion,
    files,
  }
}
