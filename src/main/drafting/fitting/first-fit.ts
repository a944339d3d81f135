/** Units: tokens. How much less an earlier cut may count than a later one; seen on two real vocabularies. */
const EPSILON_TOKENS = 4
const SECANT_PROBES = 4

/** A sequence of cuts, each of which drops more of the body than the one before. */
export type CutRow = {
  /** Index of the last cut; the first is 0. */
  last: number
  availableTokens: number
  /** Counts the prompt of a cut. Units: tokens; `Infinity` is more than available. */
  probe(cut: number): Promise<number>
  /** Index at which the first fit is expected. */
  guess: number
  /** How many tokens one more cut is expected to save near a counted one. */
  tokensPerCut(cut: number, tokens: number): number
  /** Counts that are known already. */
  known?: ReadonlyMap<number, number>
}

export type FirstFit = {
  /** Absent: no cut fits. */
  fit?: { cut: number; tokens: number }
  smallestTokens: number
}

/**
 * Finds the first cut that fits, counting few of them.
 *
 * Returned: a cut counted ≤ available whose predecessor was counted above it, or does not exist. It is the one a
 * linear search finds whenever no earlier cut counts more than 4 tokens below a later one.
 * Source: `docs/decisions/drafting.md`, "Fitting the context".
 */
export async function findFirstFit(row: CutRow): Promise<FirstFit> {
  const { availableTokens, last } = row
  const counted = new Map(row.known)
  const count = async (cut: number): Promise<number> => {
    const tokens = counted.get(cut) ?? (await row.probe(cut))
    counted.set(cut, tokens)
    return tokens
  }

  let low = -1
  let high = last + 1
  for (const [cut, tokens] of counted) if (tokens > availableTokens) low = Math.max(low, cut)
  let next = clamp(row.guess, low + 1, last)
  for (let probes = 1; high - low > 1; probes++) {
    const tokens = await count(next)
    if (tokens <= availableTokens) high = next
    else low = next
    const isSecant = probes <= SECANT_PROBES
    const target = isSecant ? secant(row, counted, low, high, next) : undefined
    next = clamp(target ?? middle(low, high, last), low + 1, high - 1)
  }

  while (high <= last && high > 0) {
    const before = await lastFitBefore(count, high, availableTokens)
    if (before === undefined) break
    high = before
  }
  const tokens = counted.get(high)
  return {
    ...(high <= last && tokens !== undefined ? { fit: { cut: high, tokens } } : {}),
    smallestTokens: Math.min(...counted.values()),
  }
}

/** Looks for an earlier fit behind predecessors that are only a little too long. */
async function lastFitBefore(
  count: (cut: number) => Promise<number>,
  fit: number,
  availableTokens: number,
): Promise<number | undefined> {
  for (let cut = fit - 1; cut >= 0; cut--) {
    const tokens = await count(cut)
    if (tokens <= availableTokens) return cut
    if (tokens > availableTokens + EPSILON_TOKENS) return undefined
  }
  return undefined
}

/**
 * Returns the cut nearest to where the line through two counted cuts (or through one, at the expected slope) reaches
 * the available tokens: one more count next to it usually settles the search.
 */
function secant(
  row: CutRow,
  counted: ReadonlyMap<number, number>,
  low: number,
  high: number,
  latest: number,
): number | undefined {
  const lowTokens = counted.get(low) ?? Number.POSITIVE_INFINITY
  const highTokens = counted.get(high)
  if (highTokens !== undefined && Number.isFinite(lowTokens)) {
    const share = (lowTokens - row.availableTokens) / (lowTokens - highTokens)
    return Math.round(low + share * (high - low))
  }
  const tokens = counted.get(latest)
  if (tokens === undefined || !Number.isFinite(tokens)) return undefined
  const slope = row.tokensPerCut(latest, tokens)
  return slope > 0 ? Math.round(latest + (tokens - row.availableTokens) / slope) : undefined
}

/** Returns the next cut without a secant: steps double towards an unknown end, and halve between two counted cuts. */
function middle(low: number, high: number, last: number): number {
  return high > last && low >= 0 ? Math.min(last, 2 * low + 1) : Math.floor((low + high) / 2)
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
