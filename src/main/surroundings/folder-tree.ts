/** Maximum number of lines of the tree. */
const limitLines = 100

/**
 * Returns the files of a folder as a tree of two levels: a folder ends with a slash, its entries are indented.
 *
 * Shape: `paths` relative, with `/`; `more` returns the line about entries that are left out, by their number.
 */
export function folderTree(paths: readonly string[], more: (count: number) => string): string {
  const folders = new Map<string, Set<string>>()
  const files = new Set<string>()
  for (const path of paths) {
    const [top = '', ...rest] = path.split('/')
    if (rest.length === 0) files.add(top)
    else {
      const entries = folders.get(top) ?? new Set<string>()
      entries.add(rest.length === 1 ? (rest[0] ?? '') : `${rest[0]}/`)
      folders.set(top, entries)
    }
  }
  const nested = [...folders].flatMap(([name, entries]) => [
    `${name}/`,
    ...[...entries].map((entry) => `  ${entry}`),
  ])
  const lines = [...nested, ...files]
  if (lines.length <= limitLines) return lines.join('\n')
  return [...lines.slice(0, limitLines - 1), more(lines.length - limitLines + 1)].join('\n')
}
