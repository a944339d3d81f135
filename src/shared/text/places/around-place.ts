/**
 * Returns the text around a place in its line; an ellipsis marks where the line is cut.
 *
 * Units: half-open UTF-16 positions; `limit` on each side, without the ellipsis. No character is cut in two.
 */
export function aroundPlace(
  text: string,
  { from, to }: { from: number; to: number },
  limit: number,
): { before: string; match: string; after: string } {
  // Only the part that can be shown is searched: a line may be as long as a book.
  const start = Math.max(0, from - limit)
  const lineBegin = text.slice(start, from).lastIndexOf('\n')
  const isCutBefore = lineBegin < 0 && start > 0 && text[start - 1] !== '\n'
  const begin = isCutBefore ? whole(text, start, 1) : start + lineBegin + 1
  const stop = Math.min(text.length, to + limit)
  const lineEnd = text.slice(to, stop).indexOf('\n')
  const isCutAfter = lineEnd < 0 && stop < text.length && text[stop] !== '\n'
  const end = isCutAfter ? whole(text, stop, -1) : lineEnd < 0 ? stop : to + lineEnd
  return {
    before: `${isCutBefore ? '…' : ''}${text.slice(begin, from)}`,
    match: text.slice(from, to),
    after: `${text.slice(to, end)}${isCutAfter ? '…' : ''}`,
  }
}

/** Returns the position itself, or the next one in `direction` where it lies within a surrogate pair. */
function whole(text: string, position: number, direction: 1 | -1): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(position)) ? position + direction : position
}

/** Returns each place with its line (from 1) and the text around it. `places` must be in order. */
export function aroundPlaces<Place extends { from: number; to: number }>(
  text: string,
  places: readonly Place[],
  limit: number,
): (Place & { line: number; before: string; match: string; after: string })[] {
  let line = 1
  let end = text.indexOf('\n')
  return places.map((place) => {
    while (end >= 0 && end < place.from) {
      line += 1
      end = text.indexOf('\n', end + 1)
    }
    return { ...place, line, ...aroundPlace(text, place, limit) }
  })
}
