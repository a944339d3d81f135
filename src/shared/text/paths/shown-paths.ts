/** Returns a path as it is shown: after the name of its folder where another folder is open. */
export function nameIn(openRoot: string | undefined, { root, path }: { root: string; path: string }): string {
  return root === openRoot ? path : `${root.split(/[\\/]/).at(-1)}/${path}`
}

const limitNames = 20

/** Joins up to twenty names and says how many more there are. `count`: all, where `names` are the first ones. */
export function shortList(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, limitNames)
  const more = count - shown.length
  return `${shown.join(' · ')}${more > 0 ? ` … (+${more})` : ''}`
}
