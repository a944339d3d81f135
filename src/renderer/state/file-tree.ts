/** A file or folder of a project. Shape: `path` from the root, `name` its last part; files have no `below`. */
export type TreeEntry = { path: string; name: string; below: TreeEntry[] | null }

/** Puts paths into folders: folders first, then files, each in natural order (`2.txt` before `10.txt`). */
export function fileTree(paths: readonly string[], language: string): TreeEntry[] {
  const top: TreeEntry = { path: '', name: '', below: [] }
  const folders = new Map<string, TreeEntry>([['', top]])
  const folderOf = (path: string): TreeEntry => {
    const found = folders.get(path)
    if (found) return found
    const folder: TreeEntry = { path, name: nameOf(path), below: [] }
    folders.set(path, folder)
    folderOf(parentOf(path)).below?.push(folder)
    return folder
  }
  for (const path of paths) folderOf(parentOf(path)).below?.push({ path, name: nameOf(path), below: null })
  const { compare } = new Intl.Collator(language, { numeric: true })
  for (const { below } of folders.values())
    below?.sort((a, b) => rankOf(a) - rankOf(b) || compare(a.name, b.name))
  return top.below ?? []
}

function rankOf({ below }: TreeEntry): number {
  return below === null ? 1 : 0
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
