import { withoutEnd } from '../without-end.ts'
/**
 * A file reference that was typed in a text, `@path`, `@"a path"` or `@path#L5-10`.
 *
 * Shape: `path` is what the text alone suggests; unquoted, the file may be any beginning of `run`. `isSure`
 * false: it is one only where there is such a file (`@app.route`, `@"…"` in the middle of code).
 * Units: UTF-16 positions, `[from, to)`; lines from 1.
 */
export type TypedReference = {
  from: number
  to: number
  path: string
  range: { from: number; to: number } | null
  isSure: boolean
  run: string | null
}

/** Endings that make a bare name a reference, also of a file that is not there. Others must exist, or have a slash. */
const endings =
  'md|markdown|mdx|txt|text|rst|adoc|org|tex|json|jsonl|json5|yaml|yml|toml|ini|cfg|conf|csv|tsv|xml|html?|css|scss|less|svg|m?[jt]sx?|c[jt]s|vue|svelte|py|pyi|ipynb|rb|go|rs|java|kts?|c|h|cc|cpp|cxx|hpp|cs|swift|php|lua|pl|r|jl|scala|hs|ex|exs|clj|dart|zig|sh|bash|zsh|fish|ps1|bat|sql|graphql|proto|diff|patch|log|lock|env|pdf|docx|epub|png|jpe?g|gif|webp'

/** Matches where no character follows that would continue a name. */
const nameEnd = String.raw`(?![A-Za-z0-9_\p{M}/\\]|[.-][A-Za-z0-9_])`
const knownName = new RegExp(String.raw`^.*?\.(?:${endings})${nameEnd}`, 'iu')
const anyName = new RegExp(String.raw`^.*?\.[A-Za-z][A-Za-z0-9]{0,9}${nameEnd}`, 'u')
const afterName = /[()[\]{},;!'`]|:(?!\w)|(?=[^\p{ASCII}])[\p{P}\p{S}]/u

/** A run of characters that may be a name; longer ones are not names. */
const runAt = /(?!@)[^\s"<>|*?\p{Cc}]{1,1000}/uy
const nextPlace = /(?=[^\p{ASCII}])[\p{P}\p{S}](?=@)/u
const rangeIn = /#L([1-9]\d{0,6})(?:-L?([1-9]\d{0,6}))?(?![\w/]|[.-]\w)/
const quotedAt = /@"((?:\\.|[^"\\\p{Cc}])+)"(?:#L([1-9]\d{0,6})(?:-L?([1-9]\d{0,6}))?(?![\w/]|[.-]\w))?/uy
const quotedParts = /^((?:\\.|[^\\])*?)(#L(?:([1-9]\d{0,6})(?:-L?([1-9]\d{0,6}))?)?)?$/u

const hasEnding = /[^/\\]\.[A-Za-z][A-Za-z0-9]{0,9}$/

/** Returns true where a path can end within a typed run: `rest`, the text after it, does not continue the name. */
export function isWholeName(path: string, rest: string): boolean {
  if (rest === '') return true
  if (/^[\p{M}\u{dc00}-\u{dfff}]/u.test(rest) || /[\ud800-\udbff]$/.test(path)) return false
  if (/^[/\\]/.test(rest)) return false
  if (/[A-Za-z0-9_]$/.test(path) && /^(?:[A-Za-z0-9_]|[.-][A-Za-z0-9_])/.test(rest)) return false
  if (hasEnding.test(path)) return true
  // A folder, or a file without an ending: if a path goes on before the next mark, another file is meant.
  const [more = ''] = rest.split(/(?=[^\p{ASCII}])[\p{P}\p{S}]/u, 1)
  if (/[/\\]|\.[A-Za-z0-9]/.test(more)) return false
  return !/[/\\]$/.test(path) || more === '' || /^[\p{Script=Hiragana}\p{P}]/u.test(more)
}

/** Returns true where an `@` after this character begins a reference: at the start, after a space or Japanese mark. */
export function isReferencePlace(before: string): boolean {
  return before === '' || /^(?:\s|(?=[^\p{ASCII}])[\p{P}\p{S}])$/u.test(before)
}

/** Finds the references in a text, in order. `before`: the character that stands before the text. */
export function typedReferences(text: string, before = ''): TypedReference[] {
  const found: TypedReference[] = []
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at)) {
    const isPlace = isReferencePlace(at === 0 ? before : (text[at - 1] ?? ''))
    const reference = readQuoted(text, at, isPlace) ?? (isPlace ? readBare(text, at) : undefined)
    if (reference !== undefined) found.push(reference)
    at = reference?.to ?? at + 1
  }
  return found
}

/** Writes a reference, quoted only where it must be, between the texts `before` and `after`. */
export function referenceText(
  { path, range }: { path: string; range: { from: number; to: number } | null },
  before = '',
  after = '',
): string {
  const lines = range === null ? '' : `#L${range.from}${range.to === range.from ? '' : `-${range.to}`}`
  const name = path.replace(/[\\"]|#(?=L)/g, '\\$&').replace(/\p{Cc}/gu, escapedControl)
  // With the range inside the quotes, no text after them can be taken for a part of it.
  const whole = `@"${name}${lines === '' ? '#L' : lines}"`
  const spellings = [`@${path}${lines}`, `@"${name}"${lines}`]
  return spellings.find((spelling) => readsBack(spelling, { path, range }, before, after)) ?? whole
}

function readsBack(
  spelling: string,
  wanted: Pick<TypedReference, 'path' | 'range'>,
  before: string,
  after: string,
): boolean {
  const [found] = typedReferences(spelling + after, before)
  const isWhole = found?.from === 0 && found.to === spelling.length
  const isSame =
    found?.path === wanted.path &&
    found.range?.from === wanted.range?.from &&
    found.range?.to === wanted.range?.to
  return isWhole && isSame && (found.isSure || found.run === null)
}

function readQuoted(text: string, at: number, isSure: boolean): TypedReference | undefined {
  quotedAt.lastIndex = at
  const match = quotedAt.exec(text)
  const [, inner, ...outside] = quotedParts.exec(match?.[1] ?? '') ?? []
  if (match === null || inner === undefined || inner === '') return undefined
  const [marker, from, to] = outside
  const path = inner.replace(
    /\\(?:u([0-9a-f]{4})|(["\\#]))/g,
    (_, code: string | undefined, plain: string) =>
      code === undefined ? plain : String.fromCharCode(Number.parseInt(code, 16)),
  )
  const end = marker === undefined ? match[0].length : (match[1]?.length ?? 0) + 3
  const range = marker === undefined ? rangeOf(match[2], match[3]) : rangeOf(from, to)
  return { from: at, to: at + end, path, range, isSure, run: null }
}

function readBare(text: string, at: number): TypedReference | undefined {
  runAt.lastIndex = at + 1
  const upToNext = runAt.exec(text)?.[0] ?? ''
  const next = upToNext.search(nextPlace)
  const whole = next < 0 ? upToNext : upToNext.slice(0, next)
  if (whole === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(whole)) return undefined
  const lines = rangeIn.exec(whole)
  if (lines !== null && lines.index > 0) {
    const path = whole.slice(0, lines.index)
    const to = at + 1 + lines.index + lines[0].length
    const isSure = isPathLike(path) || knownName.test(path)
    return { from: at, to, path, range: rangeOf(lines[1], lines[2]), isSure, run: null }
  }
  const known = knownName.exec(whole)?.[0]
  const path = known ?? guessed(whole)
  if (path === undefined) return undefined
  const isSure = known !== undefined || isPathLike(path)
  return { from: at, to: at + 1 + path.length, path, range: null, isSure, run: whole }
}

/** Guesses a path without knowing the folder: up to the first mark that names seldom have. */
function guessed(run: string): string | undefined {
  if (!isPathLike(run)) return anyName.exec(run)?.[0]
  const end = run.search(afterName)
  const path = withoutEnd(end < 0 ? run : run.slice(0, end), '.:')
  return isPathLike(path) ? path : anyName.exec(run)?.[0]
}

function isPathLike(path: string): boolean {
  return /[/\\]/.test(path) && /[^/\\.]/.test(path)
}

function rangeOf(from: string | undefined, to: string | undefined): TypedReference['range'] {
  return from === undefined ? null : { from: Number(from), to: Number(to ?? from) }
}

function escapedControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
