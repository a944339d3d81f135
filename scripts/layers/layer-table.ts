/** What a row of the table allows or forbids. */
export type Entry =
  | { kind: 'path'; path: string }
  | { kind: 'package'; pattern: string }
  /** Only the types of what lies there. */
  | { kind: 'types'; path: string }
  /** Types of a sibling folder, and its modules that neither touch the world nor hold state. */
  | { kind: 'siblings' }

/** One row. `folder` may end in `/X`: it then stands for each folder in that place. */
export type LayerRow = { folder: string; may: Entry[]; never: Entry[] }

const siblingsPhrase = "a sibling's types and pure modules"

/**
 * Reads the layer table and the package groups out of `docs/architecture.md`.
 *
 * Shape: two markdown tables, found by their heads `| folder | may import | never |` and `| group | packages |`.
 * Cells are lists separated by commas: `` `code` `` for a path or a package, otherwise a group's name.
 * Errors: throws on an entry that it does not understand, so that the page and the check cannot diverge.
 */
export function parseLayerTable(markdown: string): LayerRow[] {
  const groups = new Map<string, Entry[]>()
  for (const [name, packages] of tableRows(markdown, ['group', 'packages'])) {
    groups.set(plain(name), items(packages).map(codeEntry))
  }
  const rows = tableRows(markdown, ['folder', 'may import', 'never']).map(([folder, may, never]) => ({
    folder: plain(folder),
    may: items(may).flatMap((item) => entries(item, groups)),
    never: items(never).flatMap((item) => entries(item, groups)),
  }))
  if (rows.length === 0) throw new Error('docs/architecture.md has no layer table')
  return rows
}

/** Returns the row that applies to a file: that of the longest folder that contains it, a named one before `X`. */
export function rowOf(rows: LayerRow[], file: string): LayerRow | undefined {
  return rows
    .filter((row) => folderOf(row, file) !== undefined)
    .sort((a, b) => specificity(b.folder) - specificity(a.folder))[0]
}

/** The real folder that a row means for this file: `src/main/X` is `src/main/tokens` for a file in there. */
export function folderOf(row: LayerRow, file: string): string | undefined {
  const wanted = row.folder.split('/')
  const actual = file.split('/')
  if (actual.length <= wanted.length) return undefined
  const isInside = wanted.every((part, index) => part === 'X' || part === actual[index])
  return isInside ? actual.slice(0, wanted.length).join('/') : undefined
}

function specificity(folder: string): number {
  return folder.split('/').length * 2 - (folder.endsWith('/X') ? 1 : 0)
}

function entries(item: string, groups: Map<string, Entry[]>): Entry[] {
  if (item === siblingsPhrase) return [{ kind: 'siblings' }]
  const typesOf = /^types of `([^`]+)`$/.exec(item)?.[1]
  if (typesOf !== undefined) return [{ kind: 'types', path: typesOf }]
  const group = groups.get(item)
  return group ?? [codeEntry(item)]
}

function codeEntry(item: string): Entry {
  const code = /^`([^`]+)`$/.exec(item)?.[1]
  if (code === undefined)
    throw new Error(`docs/architecture.md: "${item}" is neither code nor a package group`)
  const isPath = /^(src|electron|tests)(\/|$)/.test(code) && code !== 'electron'
  return isPath ? { kind: 'path', path: code.replace(/\/$/, '') } : { kind: 'package', pattern: code }
}

function items(cell: string): string[] {
  return cell
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function plain(cell: string): string {
  return cell.replaceAll('`', '').trim()
}

function tableRows<const Head extends readonly string[]>(
  markdown: string,
  head: Head,
): { [K in keyof Head]: string }[] {
  const lines = markdown.split('\n')
  const start = lines.findIndex((line) => cellsOf(line).join('|') === head.join('|'))
  if (start < 0) return []
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'))
  return lines
    .slice(start + 2, end < 0 ? undefined : end)
    .map((line) => cellsOf(line))
    .map((cells) => head.map((_, index) => cells[index] ?? '') as { [K in keyof Head]: string })
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}
