import { join } from 'node:path'

/**
 * Where the user's ignore file for all folders may be, as the search program looks for it.
 *
 * Shape: `read` gives a file's text, null where there is none. Null: none is named and none is where it would be.
 * Source: the `ignore` crate of ripgrep, `gitconfig_excludes_path`.
 */
export async function globalExcludes(
  env: Record<string, string | undefined>,
  read: (path: string) => Promise<string | null>,
): Promise<string | null> {
  const home = env.HOME ?? env.USERPROFILE ?? ''
  const settings = env.XDG_CONFIG_HOME || (home === '' ? '' : join(home, '.config'))
  const places = [
    home === '' ? null : join(home, '.gitconfig'),
    settings === '' ? null : join(settings, 'git', 'config'),
  ]
  for (const place of places) {
    const named = place === null ? null : excludesFile(await read(place))
    if (named !== null) return read(named.replace(/^~/, home))
  }
  return settings === '' ? null : read(join(settings, 'git', 'ignore'))
}

function excludesFile(config: string | null): string | null {
  return /^\s*excludesfile\s*=\s*"?\s*(\S+?)\s*"?\s*$/im.exec(config ?? '')?.[1] ?? null
}
