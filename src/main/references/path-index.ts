/**
 * An index of files and folders for search: the shorter paths first, those of one length in the order of their paths.
 *
 * The index is packed, since each keystroke examines very many paths; a folder is examined once for all it contains.
 */
export type PathIndex = Readonly<ReturnType<typeof indexPaths>>

/** Longer paths count as this long. Units: UTF-16. */
const mostLength = 2 ** 14 - 1

export function indexPaths(files: readonly string[]) {
  const { entries, folders } = splitPaths(withFolders(files).sort())
  const names = entries.map(({ name }) => name)
  const nameStarts = startsOf(names, 0)
  const folderStarts = startsOf(folders, nameStarts.at(-1) ?? 0)
  const codes = new Uint16Array(folderStarts.at(-1) ?? 0)
  writeAll(codes, nameStarts, names)
  writeAll(codes, folderStarts, folders)
  const nameMasks = new Int32Array(entries.length)
  const pathMasks = new Int32Array(entries.length)
  const namePairs = new Int32Array(entries.length)
  const folderMasks = folders.map((_, at) => maskOf(codes, folderStarts[at], folderStarts[at + 1]))
  for (const [at, { folder }] of entries.entries()) {
    const mask = maskOf(codes, nameStarts[at], nameStarts[at + 1])
    nameMasks[at] = mask
    pathMasks[at] = mask | (folderMasks[folder] ?? 0)
    namePairs[at] = pairMaskOf(codes, nameStarts[at], nameStarts[at + 1])
  }
  return {
    paths: entries.map(({ path }) => path),
    /** Length of each path's key, up to `mostLength`. */
    lengths: Int32Array.from(entries, ({ length }) => length),
    /** Keys of the paths' names one after the other, then those of their folders. Shape: UTF-16. */
    codes,
    /** The position at which each path's name begins, and at last the end of all. */
    nameStarts,
    /** Where each folder's key begins, then the end of all. Shape: a key ends with `/`; the top one is empty. */
    folderStarts,
    /** Which of the folders each path is in. */
    folderOf: Int32Array.from(entries, ({ folder }) => folder),
    /** Which characters each name has, and which each whole path. Shape: as by `maskOf`. */
    nameMasks,
    pathMasks,
    /** Which characters stand side by side in each name. Shape: as by `pairMaskOf`. */
    namePairs,
  }
}

type Entry = { path: string; length: number; folder: number; name: string }

/** Shape: `paths` are in order, where those of one folder are mostly together; the entries by length. */
function splitPaths(paths: readonly string[]): { entries: Entry[]; folders: string[] } {
  const places = new Map<string, number>()
  const byLength: Entry[][] = []
  let last = ''
  for (const path of paths) {
    const key = searchKey(path)
    const start = key.lastIndexOf('/', key.length - 2) + 1
    if (start !== last.length || !key.startsWith(last)) last = key.slice(0, start)
    const folder = places.get(last) ?? places.size
    places.set(last, folder)
    const length = lengthOf(key)
    byLength[length] ??= []
    byLength[length].push({ path, length, folder, name: key.slice(start) })
  }
  return { entries: byLength.flat(), folders: [...places.keys()] }
}

export function placeOf({ paths, lengths }: PathIndex, path: string): number {
  const length = lengthOf(searchKey(path))
  let from = 0
  let to = paths.length
  while (from < to) {
    const middle = (from + to) >> 1
    const longer = (lengths[middle] ?? 0) - length
    if (longer < 0 || (longer === 0 && (paths[middle] ?? '') < path)) from = middle + 1
    else to = middle
  }
  return paths[from] === path ? from : -1
}

/** Returns the form of a text in which names are compared. */
export function searchKey(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** Shape: UTF-16. */
export function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  writeAll(codes, Int32Array.of(0), [text])
  return codes
}

function startsOf(texts: readonly string[], from: number): Int32Array {
  const starts = new Int32Array(texts.length + 1)
  starts[0] = from
  for (const [at, text] of texts.entries()) starts[at + 1] = (starts[at] ?? 0) + text.length
  return starts
}

function writeAll(codes: Uint16Array, starts: Int32Array, texts: readonly string[]): void {
  for (const [at, text] of texts.entries()) {
    const start = starts[at] ?? 0
    for (let letter = 0; letter < text.length; letter++) codes[start + letter] = text.charCodeAt(letter)
  }
}

/** Returns a bit mask of the characters of a key: each small letter has its own bit, others share some. */
export function maskOf(codes: Uint16Array, from = 0, to = codes.length): number {
  let mask = 0
  for (let at = from; at < to; at++) mask |= 1 << bitOf(codes[at] ?? 0)
  return mask
}

/** Returns a bit mask of the hashed pairs of neighbouring characters in a key. */
export function pairMaskOf(codes: Uint16Array, from = 0, to = codes.length): number {
  let mask = 0
  for (let at = from + 1; at < to; at++)
    mask |= 1 << (Math.imul(((codes[at - 1] ?? 0) << 7) ^ (codes[at] ?? 0), 0x9e3779b1) >>> 27)
  return mask
}

function bitOf(code: number): number {
  if (code >= 0x80) return 28 + (code & 3)
  if (code >= 0x61 && code <= 0x7a) return code - 0x61
  return code >= 0x30 && code <= 0x39 ? 26 : 27
}

function lengthOf(key: string): number {
  return Math.min(key.length, mostLength)
}

function withFolders(files: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const file of files) {
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const folder = file.slice(0, at + 1)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return [...files, ...folders]
}
