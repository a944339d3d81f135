/** The costs of a page at which the anchor moves. Units: tokens. */
export type PageCosts = {
  availableTokens: number
  /** All of the prompt besides the body and newly matched lore, as it is after the move. */
  restTokens: number
  /** The text that a page adds. */
  pageTokens: number
  /** The text behind the body besides newly matched lore, which is read again with each page. */
  behindTokens: number
  /** The room that the budget leaves for newly matched lore. */
  recentTokens: number
}

/** Units: tokens that a page reads anew on average. Source: `docs/decisions/drafting.md`, "Fitting the context". */
const GOAL_TOKENS = 1_400
/** Share of the room that the body fills after a move, so that the anchor can stay for many pages. */
export const MOST_SHARE = 0.7
const LEAST_SHARE = 0.3
/** Share of the room of newly matched lore that it keeps where a page costs more than the goal all the same. */
const LEAST_RECENT_SHARE = 0.25
/** How full that room is on average between two moves: the first entries come soon. */
const RECENT_FILL = 0.7

/**
 * Returns how much the body may fill after a move, and how much room newly matched lore has until the next one: the most
 * with which a page is expected to cost no more than the goal, of lore first. A page costs what is new, what stands
 * behind the body, newly matched lore, as far as its room is filled on average, and its part of the next move.
 */
export function anchorRoom(costs: PageCosts): { bodyTokens: number; recentTokens: number } {
  const { availableTokens, restTokens, pageTokens, behindTokens } = costs
  const bodyRoom = (recentTokens: number) => availableTokens - restTokens - recentTokens
  const heldTokens = pageTokens + behindTokens
  const leftOfGoal = GOAL_TOKENS - heldTokens
  // A move reads these tokens in addition to the body and to what each page reads.
  const headTokens = restTokens - heldTokens

  const fullRoom = bodyRoom(costs.recentTokens)
  const pages = ((1 - LEAST_SHARE) * fullRoom) / pageTokens
  const leftForRecent = leftOfGoal - (headTokens + LEAST_SHARE * fullRoom) / pages
  const recentTokens = Math.trunc(
    clamp(leftForRecent / RECENT_FILL, LEAST_RECENT_SHARE * costs.recentTokens, costs.recentTokens),
  )

  // The share at which `(head + share × room) ÷ pages`, with `pages = (1 − share) × room ÷ page`, costs what is left.
  const room = bodyRoom(recentTokens)
  const leftForMoves = leftOfGoal - RECENT_FILL * recentTokens
  const share = (leftForMoves - (headTokens * pageTokens) / room) / (leftForMoves + pageTokens)
  return {
    bodyTokens: room * (leftForMoves > 0 ? clamp(share, LEAST_SHARE, MOST_SHARE) : LEAST_SHARE),
    recentTokens,
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
