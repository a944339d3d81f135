import { join } from 'node:path'

/**
 * Returns the path of Git's ignore file for all folders: the one that the user's configuration names, or the default.
 *
 * Shape: `rules` may be relative to where the search program runs, and may not exist; null: there is no place for it.
 * `settings`: the files that were read to find it. `read` returns a file's text, null where there is none.
 * Source: the `ignore` crate of ripgrep, `gitconfig_excludes_path`.
 */
export async function globalExcludesPath(
  env: Record<string, string | undefined>,
  read: (path: string) => Promise<string | null>,
): Promise<{ settings: string[]; rules: string | null }> {
  const home = env.HOME ?? env.USERPROFILE ?? ''
  const folder = env.XDG_CONFIG_HOME || (home === '' ? '' : join(home, '.config'))
  const places = [
    ...(home === '' ? [] : [join(home, '.gitconfig')]),
    ...(folder === '' ? [] : [join(folder, 'git', 'config')]),
  ]
  for (const [at, place] of places.entries()) {
    const line = /^[ \t]*excludesfile[ \t]*=[ \t]*"?[ \t]*([^\s"]+)[ \t]*"?[ \t]*$/im
    const named = line.exec((await read(place)) ?? '')?.[1]
    if (named !== undefined) return { settings: places.slice(0, at + 1), rules: named.replace(/^~/, home) }
  }
  return { settings: places, rules: folder === '' ? null : join(folder, 'git', 'ignore') }
}
