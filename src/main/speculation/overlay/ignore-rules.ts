import { parseGlob } from '../../workspace/glob-pattern.ts'

/**
 * Says the lines of an ignore file as those of a file in another folder, for a search that starts there.
 *
 * Shape: `below` are the folders from the searched one down to that of the file; `above` those from the file's
 * down to the searched one. One of both is empty.
 * Source: the `ignore` crate of ripgrep, `gitignore.rs`: a line with a `/` before its end is about the whole path
 * from the file's folder on, any other about a name in any folder.
 */
export function rulesFrom(text: string, { below, above }: { below: string[]; above: string[] }): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((line) => {
      const rule = parseRule(line)
      if (rule === null) return []
      return patterns(rule, below, above).map((pattern) => `${rule.sign}/${pattern}${rule.end}`)
    })
}

/** Shape: `sign` is `!` where the line lets files in, `end` is `/` where it is about folders only. */
type Rule = { sign: '' | '!'; body: string; end: '' | '/' }

function parseRule(line: string): Rule | null {
  if (line.startsWith('#')) return null
  let body = line.endsWith('\\ ') ? line : line.trimEnd()
  const sign = body.startsWith('!') ? '!' : ''
  if (sign !== '' || /^\\[!#]/.test(body)) body = body.slice(1)
  const isFromHere = body.startsWith('/') && !line.startsWith('\\')
  if (isFromHere) body = body.slice(1)
  const end = body.endsWith('/') ? '/' : ''
  if (end !== '') body = body.slice(0, -1).replace(/\\$/, '')
  if (body === '') return null
  return { sign, body: isFromHere || body.includes('/') ? body : `**/${body}`, end }
}

function patterns({ body }: Rule, below: readonly string[], above: readonly string[]): string[] {
  if (above.length === 0) return [[...below.map(literal), body].join('/')]
  const names = body.split('/')
  let places = behindAnyFolders(names, [0])
  for (const folder of above) {
    const next = [...places].flatMap((at) => {
      const name = names[at]
      if (name === undefined) return []
      if (name === '**') return [at]
      return parseGlob(name)?.matches(folder) ? [at + 1] : []
    })
    places = behindAnyFolders(names, next)
  }
  // What follows any folders is meant with them.
  const isMeant = (at: number): boolean => names[at - 1] === '**' && places.has(at - 1)
  const left = [...places].filter((at) => at < names.length && !isMeant(at))
  return left.map((at) => names.slice(at).join('/'))
}

/** `**` also stands for no folder at all. */
function behindAnyFolders(names: readonly string[], places: readonly number[]): Set<number> {
  const all = new Set(places)
  for (const at of all) if (names[at] === '**') all.add(at + 1)
  return all
}

/** A folder's name as a pattern. A line end, which no line can say, is any character. */
function literal(name: string): string {
  return name.replace(/[\\*?[\]{}]/g, '\\$&').replace(/[\r\n]/g, '?')
}
