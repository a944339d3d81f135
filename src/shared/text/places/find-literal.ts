/** How texts are compared in a search. `foldsWidth`: NFKC; `foldsKana`: hiragana and katakana are the same. */
export type Folding = { isCaseSensitive: boolean; foldsWidth: boolean; foldsKana: boolean }

/** Units: half-open UTF-16 positions. */
export type FoundSpan = { from: number; to: number }

/** A character with the marks that belong to it, half-width voice marks included. */
const unit = /\P{M}[\p{M}ﾞﾟ]*|\p{M}+/gsu

/** Finds every place of `wanted`, without overlaps, at whole characters: not `ロ` inside `㌔`. */
export function findLiteral(source: string, wanted: string, folding: Folding, limit: number): FoundSpan[] {
  const needle = foldText(wanted, folding).text
  if (needle === '') return []
  const { text, starts } = foldText(source, folding)
  const found: FoundSpan[] = []
  let at = text.indexOf(needle)
  while (at >= 0 && found.length < limit) {
    const end = at + needle.length
    const from = starts === null ? at : (starts[at] ?? -1)
    const to = starts === null ? end : (starts[end] ?? -1)
    const isWhole = from >= 0 && to >= 0
    if (isWhole) found.push({ from, to })
    at = text.indexOf(needle, isWhole ? end : at + 1)
  }
  return found
}

/** Folds a text by character. `starts`: the source position of each unit, −1 within one; null: as they are. */
export function foldText(source: string, folding: Folding): { text: string; starts: number[] | null } {
  const { isCaseSensitive, foldsWidth, foldsKana } = folding
  if (isCaseSensitive && !foldsWidth && !foldsKana) return { text: source, starts: null }
  const cache = new Map<string, string>()
  const starts: number[] = []
  let text = ''
  for (const { 0: character, index } of source.matchAll(unit)) {
    let as = cache.get(character)
    if (as === undefined) {
      as = foldsWidth ? character.normalize('NFKC') : character
      if (foldsKana) as = as.replace(/[ぁ-ゖゝゞ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60))
      if (!isCaseSensitive) as = as.toLowerCase()
      cache.set(character, as)
    }
    for (let i = 0; i < as.length; i++) starts.push(i === 0 ? index : -1)
    text += as
  }
  starts.push(source.length)
  return { text, starts }
}
