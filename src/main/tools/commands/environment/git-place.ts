import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { readRegularFile } from '../../../platform/files/read-regular-file.ts'
import { isInside } from '../../../platform/files/real-path.ts'

/**
 * The place where a git command reads, relative to the folder that must not be left.
 *
 * Shape: `top` is the top of the work tree, the folder itself where there is none. `prefix` is the folder's path from
 * there, '' or ending in `/`.
 */
export type GitPlace = { top: string; prefix: string }

/** Maximum size of a file of git that holds one path and nothing else. */
const limitPathBytes = 65_536

/**
 * Finds the repository of a git command. `textOf` runs git with the words before the command's subcommand, and others.
 *
 * Shape: `'elsewhere'` where its work tree is neither in the folder nor around it, or where the repository lies
 * outside and is not configured for this work tree.
 */
export async function gitPlace(
  root: string,
  textOf: (...words: string[]) => Promise<string>,
): Promise<GitPlace | 'elsewhere'> {
  const ask = async (name: string): Promise<string> => (await textOf('rev-parse', name)).replace(/\n$/, '')
  const [given, gitDir] = [await ask('--show-toplevel'), await ask('--absolute-git-dir')]
  const inner = await realOf(root)
  const home = gitDir === '' ? null : await realOf(gitDir)
  if (home === null || inner === null) return { top: root, prefix: '' }
  const top = given === '' ? inner : await realOf(given)
  if (top === null) return 'elsewhere'
  const isAround = isInside(top, inner)
  if (!isAround && !isInside(inner, top)) return 'elsewhere'
  if (!isInside(top, home) && !isInside(inner, home) && !(await knows(home, top, textOf))) return 'elsewhere'
  const below = isAround ? relative(top, inner).split(sep).join('/') : ''
  return { top, prefix: below === '' ? '' : `${below}/` }
}

/** True where the repository itself names this work tree as one of its own: as a linked one, or as a submodule. */
async function knows(
  home: string,
  top: string,
  textOf: (...words: string[]) => Promise<string>,
): Promise<boolean> {
  try {
    const link = (await readRegularFile(`${home}/gitdir`, limitPathBytes)).toString('utf8').trim()
    return (await realOf(link)) === (await realOf(`${top}/.git`))
  } catch {
    return (await textOf('config', '--local', 'core.worktree')).trim() !== ''
  }
}

const realOf = (path: string): Promise<string | null> => realpath(path).catch(() => null)
