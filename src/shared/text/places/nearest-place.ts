/** How far a text may have moved before another one that reads alike is taken for it. Units: UTF-16. */
const limitMoved = 2_000
/** Length of a text that is not written twice by chance, which may have moved anywhere. Units: UTF-16. */
const tellingLength = 40

/** Returns the nearest `text` to `from`; -1 for none, or for a short one far away: another sentence. */
export function nearestPlace(doc: string, text: string, from: number): number {
  if (doc.startsWith(text, from)) return from
  const isNear = (at: number) =>
    at >= 0 && (text.length >= tellingLength || Math.abs(at - from) <= limitMoved)
  const [nearest = -1] = [doc.lastIndexOf(text, from), doc.indexOf(text, from)]
    .filter(isNear)
    .sort((one, other) => Math.abs(one - from) - Math.abs(other - from))
  return nearest
}
