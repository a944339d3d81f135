import { z } from 'zod'
import { parseJson } from '../../../shared/text/json.ts'
import { namesOf, pathGlob } from '../../../shared/text/paths/glob.ts'

const Patterns = z.array(z.string().min(1)).min(1)

/** `resources/consent/files.json`, whose `about` explains each list. */
export const FileLists = z.strictObject({
  about: z.string(),
  secrets: Patterns,
  notSecrets: Patterns,
  unsearched: Patterns,
  protected: Patterns,
  keys: z.record(z.string(), Patterns),
  ci: Patterns,
  scripts: Patterns,
  locks: Patterns,
  executables: Patterns,
})
type FileLists = z.infer<typeof FileLists>

type PathTest = (path: string) => boolean

export type FileKinds = ReturnType<typeof fileKinds>

/** Returns tests for kinds of files; all but `changedKey` go by the path alone. */
export function fileKinds(lists: FileLists) {
  const [inFolders, byName] = [true, false].map((isFolder) =>
    anyOf(lists.secrets.filter((pattern) => pattern.includes('/') === isFolder)),
  ) as [PathTest, PathTest]
  const isExcepted = anyOf(lists.notSecrets)
  const keyNames = new Map(Object.entries(lists.keys))
  const keysOf = (path: string): readonly string[] =>
    keyNames.get(namesOf(path).at(-1)?.toLowerCase() ?? '') ?? []
  const unsearched = new Set(lists.unsearched)
  const isSecretIn = remembered((written) => {
    // Some systems leave out points and spaces at the end of a name.
    const path = foldedName(written).replace(/(?<=[^\s./\\])[\s.]+(?=[/\\]|$)/g, '')
    const isOne = (each: string): boolean => inFolders(each) || (byName(each) && !isExcepted(each))
    if (isOne(path)) return true
    const copied = withoutBackup(path)
    if (copied !== path && isOne(copied)) return true
    const hidden = hiddenOriginal(path)
    return hidden !== null && isOne(hidden.original) && !isExcepted(hidden.dotted)
  })
  return {
    isSecret(path: string): boolean {
      const nameAt = path.lastIndexOf('/') + 1
      return isSecretIn(path.slice(0, nameAt), path.slice(nameAt))
    },
    /** As `isSecret` of `folder + name`, for many files of a folder. Shape: `folder` ends in `/`, or is ''. */
    isSecretIn,
    /** A file that decides what runs or what is allowed. */
    isProtected: anyOf(lists.protected),
    isCi: anyOf(lists.ci),
    isScript: anyOf(lists.scripts),
    isLock: anyOf(lists.locks),
    isExecutable: anyOf(lists.executables),
    /** A file whose entries can run something. */
    hasKeys: (path: string): boolean => keysOf(path).length > 0,
    /** Returns the first entry that runs something and would change; null where none does. */
    changedKey(path: string, oldText: string | null, newText: string | null): string | null {
      const keys = keysOf(path)
      const [before, after] = [entriesOf(oldText), entriesOf(newText)]
      if (before === null || after === null) return oldText === newText ? null : (keys[0] ?? null)
      return keys.find((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key])) ?? null
    },
    /** A folder that is not looked through for secrets. */
    isUnsearched: (name: string): boolean => unsearched.has(name),
  }
}

/** Maximum number of remembered paths: some megabytes. */
const mostRemembered = 30_000

/**
 * Remembers the results of a test: the same files are tested before each command, and a test costs 9 µs. A path of two
 * known parts is found in a tenth of the time that it takes to make one string of it.
 */
function remembered(test: PathTest): (folder: string, name: string) => boolean {
  const folders = new Map<string, Map<string, boolean>>()
  let size = 0
  return (folder, name) => {
    const known = folders.get(folder)?.get(name)
    if (known !== undefined) return known
    if (size >= mostRemembered) {
      folders.clear()
      size = 0
    }
    const results = folders.get(folder) ?? new Map<string, boolean>()
    const result = test(folder + name)
    folders.set(folder, results.set(name, result))
    size += 1
    return result
  }
}

const copyWords =
  'bak|backup|copy|old|orig|original|prev|previous|new|rej|sav|saved?|sw[a-z]|te?mp|コピー|\\d[\\d._-]*'
const backup = new RegExp(
  `(?:~|[\\s._-]+(?:${copyWords})|\\s*\\(\\d+\\)|\\s?のコピー|(?<=\\..*)\\.txt)+$`,
  'iu',
)
const copyOf = /^copy[ _-]of[ _-]/i

/**
 * Returns the path that an editor or a tool made a copy of: `.env` of `.env~`, `#.env#`, `Copy of .env` and `.env.swp`,
 * `token.json` of `token (2).json`.
 */
function withoutBackup(path: string): string {
  const name = namesOf(path).at(-1) ?? ''
  const plain = withoutMarks(name)
  // An editor puts a point in front of the name that it keeps for itself.
  const original =
    /\.sw[a-z]$/i.test(name) && !/^\.(?:env|[a-z]+rc)/i.test(name) ? plain.replace(/^\./, '') : plain
  return original === name || original === '' ? path : path.slice(0, path.length - name.length) + original
}

/** Removes the marks of a copy at the beginning or end of a name, or before its last point. */
function withoutMarks(name: string): string {
  const whole = name
    .replace(/^#(.+)#$/, '$1')
    .replace(/^\.#/, '')
    .replace(copyOf, '')
    .replace(backup, '')
  const [, stem = '', ending = ''] = /^(.+?)(\.[a-z]+)$/i.exec(whole) ?? []
  const plain = ending === '' ? whole : stem.replace(backup, '') + ending
  return plain === name || plain === '' ? name : withoutMarks(plain)
}

/**
 * Returns the hidden file that a name may be a variant of: `.env` of `.env-prod`, `.env 2` and `.env_old`.
 *
 * Shape: `dotted` has a point between them, as exceptions are written. Null for any other name.
 */
function hiddenOriginal(path: string): { original: string; dotted: string } | null {
  const [, original, mark, variant] =
    /^(\.[a-z]+)([\s._+@(-]+|(?=\d))(.+)$/i.exec(namesOf(path).at(-1) ?? '') ?? []
  if (original === undefined || mark === undefined) return null
  return { original, dotted: `${original}.${variant}` }
}

/** Folds a name as the most lenient file system does: case, full width and zero-width characters do not count. */
function foldedName(path: string): string {
  if (isAscii(path)) return path.toLowerCase()
  const shown = path.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return shown.toUpperCase().toLowerCase().normalize('NFC')
}

function anyOf(patterns: readonly string[]): PathTest {
  const isPlain = (pattern: string): boolean => !/[*?[/]/.test(pattern)
  const names = new Set(patterns.filter(isPlain).map(foldedName))
  const tests = patterns
    .filter((pattern) => !isPlain(pattern))
    .map((pattern) => ({ test: testOf(pattern), part: certainPart(pattern) }))
  return (written) => {
    const path = foldedName(written)
    // Letters outside of ASCII are compared by the pattern alone, which knows more spellings.
    const mayMatch = isAscii(path) ? (part: string) => path.includes(part) : () => true
    return (
      names.has(namesOf(path).at(-1) ?? '') || tests.some(({ part, test }) => mayMatch(part) && test(path))
    )
  }
}

/** Returns the longest text in every path that a pattern matches: a search for it costs a hundredth of the pattern. */
function certainPart(pattern: string): string {
  if (/[[\]{}\\]/.test(pattern) || !isAscii(pattern)) return ''
  const parts = foldedName(pattern).split(/[*?/]+/)
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

/** Returns the test of a pattern. One without `/` is compared with the file's own name, not with folders above it. */
function testOf(pattern: string): PathTest {
  const test = pathGlob(pattern, 'wide')
  return pattern.includes('/') ? test : (path) => test(namesOf(path).at(-1) ?? '')
}

/** Returns the entries of a JSON file, none where there is no file; null where it cannot be parsed. */
function entriesOf(text: string | null): Record<string, unknown> | null {
  if (text === null) return {}
  const parsed = parseJson(text)
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null
}

/**
 * True for files that are asked about in ignored folders as well: secrets, and files that decide what runs, wholly or by
 * some of their entries.
 */
export function isAskedAnywhere(kinds: FileKinds, path: string): boolean {
  return [kinds.isSecret, kinds.isProtected, kinds.isCi, kinds.hasKeys].some((isOne) => isOne(path))
}
