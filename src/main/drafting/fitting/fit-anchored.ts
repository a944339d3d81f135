import type { DraftAnchor } from '../../../shared/domain/drafting/draft-preview.ts'
import { type CodePointIndex, countCodePoints, indexCodePoints } from '../../../shared/text/code-points.ts'
import { isBlank } from '../../../shared/text/white-space.ts'
import { joinParts } from '../prompt/build-prompt.ts'
import { anchorRoom, MOST_SHARE } from './anchor-room.ts'
import { type BodyRate, type Fitting, measureBody, promptFrom } from './body-room.ts'
import type { Cut, NoCut } from './fit-token-dynamic.ts'

/** Below this share of what is available the anchor moves back, if there is text before it. */
const LEAST_SHARE = 0.25
/** The same share where lore or summaries keep the body short after a move. */
const LEAST_SHARE_WITH_MEMORY = 0.15
/** Length of the pages that costs are estimated for. Units: code points. */
const PAGE_CHARS = 400
/** How far beyond the wanted place a scene break is preferred to a paragraph. Units: share of what is kept. */
const SCENE_SHARE = 0.2
/** How far beyond the wanted place a paragraph is preferred to the place itself. Units: as `SCENE_SHARE`. */
const PARAGRAPH_SHARE = 0.5
/** Length of the text by which an anchor is found again. Units: code points. */
const HEAD_CHARS = 40
const SCENE_LINE = /^[\s　]*[＊*◇◆○●☆★※―─—ー\-＝=・…#~～]+[\s　]*$/

/**
 * Holds the body's start until the prompt no longer fits, then moves it once, to a paragraph or scene break.
 *
 * Source: `docs/decisions/drafting.md`, "Fitting the context", `anchored`.
 */
export async function fitAnchored(fitting: Fitting, anchor: DraftAnchor | undefined): Promise<Cut | NoCut> {
  const { meter, availableTokens } = fitting
  const held = anchor === undefined ? 0 : placeOf(fitting.body, anchor)
  const heldTokens = await meter.total(promptFrom(fitting, held).parts)
  const leastShare = fitting.request.memory === undefined ? LEAST_SHARE : LEAST_SHARE_WITH_MEMORY
  const isTooLittle = held > 0 && heldTokens < leastShare * availableTokens
  if (heldTokens <= availableTokens && !isTooLittle) return { cutChars: held, tokens: heldTokens }

  const from = isTooLittle ? 0 : held
  const tokens = isTooLittle ? await meter.total(promptFrom(fitting, 0).parts) : heldTokens
  if (tokens <= availableTokens) return { cutChars: 0, tokens }
  const sent = indexCodePoints(fitting.body.from(from))
  const rate = await measureBody(fitting, sent, tokens)
  return moveAnchor(fitting, from, rate, tokens)
}

async function moveAnchor(fitting: Fitting, from: number, rate: BodyRate, usedTokens: number) {
  const { body, meter, availableTokens } = fitting
  const { bodyTokens: room, recentTokens } = roomAfterMove(fitting, from, rate)
  let smallest = usedTokens
  let keptChars = Math.min(body.length - from - 1, Math.trunc(room / rate.tokensPerChar))
  while (keptChars >= 1) {
    const cutChars = breakAfter(body, keptChars)
    const tokens = await meter.total(promptFrom(fitting, cutChars).parts)
    if (tokens <= availableTokens)
      return { cutChars, tokens, rate, ...(recentTokens !== undefined && { recentTokens }) }
    smallest = Math.min(smallest, tokens)
    const share = Number.isFinite(tokens) ? room / (tokens - rate.restTokens) : 0.5
    keptChars = Math.trunc((body.length - cutChars) * Math.min(0.9, share))
  }
  return { usedTokens: smallest }
}

function roomAfterMove(
  fitting: Fitting,
  from: number,
  { restTokens, tokensPerChar }: BodyRate,
): { bodyTokens: number; recentTokens?: number } {
  const { availableTokens, request } = fitting
  const { memory } = request
  if (memory === undefined) return { bodyTokens: MOST_SHARE * (availableTokens - restTokens) }
  const { parts } = promptFrom(fitting, from)
  const behind = parts
    .slice(parts.findLastIndex(({ origin }) => origin === 'body') + 1)
    .filter(({ origin }) => origin !== 'recentLore')
  return anchorRoom({
    availableTokens,
    restTokens: restTokens + memory.addedTokens,
    pageTokens: PAGE_CHARS * tokensPerChar,
    behindTokens: countCodePoints(joinParts(behind)) * tokensPerChar,
    recentTokens: memory.recentTokens,
  })
}

/** Returns the present position of the anchor; 0 where its text is gone. Units: code points. */
function placeOf(body: CodePointIndex, anchor: DraftAnchor): number {
  const at = body.toUtf16(anchor.fromChars)
  if (at === 0 || anchor.headText === '') return 0
  if (body.text.startsWith(anchor.headText, at)) return anchor.fromChars
  const before = body.text.lastIndexOf(anchor.headText, at)
  const after = body.text.indexOf(anchor.headText, at)
  if (before < 0 && after < 0) return 0
  const isBeforeNearer = after < 0 || (before >= 0 && at - before <= after - at)
  return body.toCodePoint(isBeforeNearer ? before : after)
}

/** Returns the text by which the anchor's place is found again. */
export function headTextAt(body: CodePointIndex, fromChars: number): string {
  return body.text.slice(body.toUtf16(fromChars), body.toUtf16(fromChars + HEAD_CHARS))
}

/**
 * Returns the first scene break at or after the wanted place, else the first paragraph, else the place: a break that is
 * too far would leave too little of a text with long paragraphs. Units: code points.
 */
function breakAfter(body: CodePointIndex, keptChars: number): number {
  const { text } = body
  const wanted = body.length - keptChars
  const limit = body.toUtf16(wanted + Math.trunc(keptChars * SCENE_SHARE))
  const last = body.toUtf16(wanted + Math.trunc(keptChars * PARAGRAPH_SHARE))
  let paragraph: number | undefined
  let previous: string | undefined
  for (let from = text.lastIndexOf('\n', body.toUtf16(wanted) - 1) + 1; from < text.length; ) {
    const lineEnd = text.indexOf('\n', from)
    const to = lineEnd < 0 ? text.length : lineEnd
    const line = text.slice(from, to)
    if (body.toUtf16(wanted) <= from && !isBlank(line) && !SCENE_LINE.test(line)) {
      if (from > last || (from > limit && paragraph !== undefined)) break
      paragraph ??= from
      if (previous !== undefined && (isBlank(previous) || SCENE_LINE.test(previous)) && from <= limit)
        return body.toCodePoint(from)
    }
    previous = line
    from = to + 1
  }
  return paragraph === undefined ? wanted : body.toCodePoint(paragraph)
}
