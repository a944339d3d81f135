import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { isInside } from '../platform/files/real-path.ts'
import type { VisiblePlace } from './wall.ts'

/** Folders of the system that hold programs and what they need. */
const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/gnu/store',
]

/** Folders below the home folder to which the programs of version managers on the search path refer. */
const toolChains = [
  '.asdf/installs',
  '.bun/bin',
  '.cargo/bin',
  '.deno/bin',
  '.fnm/node-versions',
  '.local/lib',
  '.local/share/fnm/node-versions',
  '.local/share/mise/installs',
  '.local/share/pipx/venvs',
  '.local/share/pnpm',
  '.local/share/uv/python',
  '.local/share/uv/tools',
  '.nvm/versions',
  '.pyenv/bin',
  '.pyenv/libexec',
  '.pyenv/plugins',
  '.pyenv/pyenv.d',
  '.pyenv/versions',
  '.rbenv/bin',
  '.rbenv/libexec',
  '.rbenv/versions',
  '.rustup/toolchains',
  '.sdkman/candidates',
  '.volta/bin',
  '.volta/tools',
]
/** Names of folders beside a `bin` folder from which its programs load files. */
const besideBin = ['lib', 'lib64', 'libexec', 'include']

/**
 * Returns the places of the host that a command may read besides `/etc`: system folders, the folders of the search
 * path, known tool chains and the user's settings of Git.
 *
 * Shape: in the order in which they are mounted. A folder of the search path that is the home folder, holds it, or
 * lies in the project or the app's data is left out, also where a link leads there.
 */
export async function visiblePlaces(options: {
  path: string
  home: string
  project: string
  dataDir: string
}): Promise<VisiblePlace[]> {
  const { home, project, dataDir } = options
  const onPath = options.path
    .split(delimiter)
    .filter((place) => isAbsolute(place))
    .map((place) => join(place, '.'))
  const placesOnPath = await Promise.all(
    onPath.map(async (place) => {
      const real = await realpath(place).catch(() => place)
      if (![place, real].every((one) => mayBeSeen(one, home, [project, dataDir]))) return []
      const isBin = place.endsWith('/bin') && dirname(place) !== join(home, '.local')
      const beside = isBin ? besideBin.map((name) => join(dirname(place), name)) : []
      return [
        place,
        ...beside,
        ...(real === place ? [] : [real, ...besideBin.map((name) => join(dirname(real), name))]),
      ]
    }),
  )
  // Lists the home folder once instead of examining each place: most do not exist.
  const inHome = new Set(await readdir(home).catch(() => []))
  const paths = new Set([
    ...systemFolders,
    ...placesOnPath.flat(),
    ...[...toolChains, '.gitconfig', '.config/git/config', '.config/git/ignore']
      .filter((name) => inHome.has(name.split('/')[0] ?? ''))
      .map((name) => join(home, name)),
  ])
  const found = (await Promise.all([...paths].map(visibleAt))).filter((place) => place !== null)
  // A place inside another one is shown with it, and a mount of its own costs half a millisecond.
  return found.filter(
    ({ path }) => !found.some((one) => !('link' in one) && one.path !== path && isInside(one.path, path)),
  )
}

function mayBeSeen(place: string, home: string, hidden: readonly string[]): boolean {
  if (place === '/' || isInside(place, home)) return false
  // These are empty and private in the sandbox.
  if (['/tmp', '/run', '/var/tmp', '/dev', '/proc', '/etc'].some((folder) => isInside(folder, place)))
    return false
  return hidden.every((folder) => !isInside(folder, place) && !isInside(place, folder))
}

async function visibleAt(path: string): Promise<VisiblePlace | null> {
  try {
    const stats = await lstat(path)
    if (!stats.isSymbolicLink()) return stats.isFile() || stats.isDirectory() ? { path } : null
    // A link of the system (`/bin`) stays one; any other is shown as what it leads to.
    if (dirname(path) === '/') return { path, link: await readlink(path) }
    const target = await stat(path)
    return target.isFile() || target.isDirectory() ? { path } : null
  } catch {
    // A place that does not exist or cannot be examined cannot be shown.
    return null
  }
}
