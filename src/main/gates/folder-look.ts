import type { Disk } from '../platform/disk.ts'
import type { FileKinds } from './file-kinds.ts'
import { wildcard } from './wildcard.ts'

const limitEntries = 20_000

/**
 * Looks for a file that nobody should read by accident beneath a folder, links not followed.
 *
 * Shape: its path, null where there is none, `'unknown'` where the folder is too large to be sure.
 */
export async function secretBeneath(
  disk: Disk,
  kinds: FileKinds,
  folder: string,
  withHidden: boolean,
): Promise<{ path: string } | 'unknown' | null> {
  const waiting = ['']
  let seen = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of await listing(disk, `${folder}/${at}`)) {
      seen += 1
      if (seen > limitEntries) return 'unknown'
      if (!withHidden && entry.name.startsWith('.')) continue
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory()) {
        if (!kinds.isUnsearched(entry.name)) waiting.push(path)
      } else if (kinds.isSecret(path)) return { path }
    }
  }
  return null
}

/**
 * What a shell's pattern names now, without names that begin with a point unless it says so.
 *
 * Shape: paths as the shell would write them; null for a pattern with anything but `*`, `?` and `[abc]`.
 */
export async function expandedGlob(disk: Disk, base: string, pattern: string): Promise<string[] | null> {
  if (!/^[^'"\\$`~{}!]*$/.test(pattern) || /(?:^|\/)\.\.(?:\/|$)/.test(pattern)) return null
  let found = [pattern.startsWith('/') ? '/' : '']
  let seen = 0
  for (const part of pattern.split('/').filter((name) => name !== '')) {
    const isPattern = /[*?[]/.test(part)
    const isNamed = wildcard(part, true)
    const next: string[] = []
    for (const folder of found) {
      if (!isPattern) next.push(`${folder}${part}/`)
      else {
        const place = folder.startsWith('/') ? folder : `${base}/${folder}`
        const entries = await listing(disk, place)
        seen += entries.length
        if (seen > limitEntries) return null
        const names = entries.map(({ name }) => name)
        const shown = names.filter((name) => isNamed(name) && (!name.startsWith('.') || part.startsWith('.')))
        next.push(...shown.map((name) => `${folder}${name}/`))
      }
    }
    found = next
  }
  return found.map((path) => path.slice(0, -1))
}

/** What cannot be listed cannot be read by a command either. */
async function listing(disk: Disk, folder: string): ReturnType<Disk['list']> {
  try {
    return await disk.list(folder)
  } catch {
    return []
  }
}
