import { basename, dirname, join, relative, sep } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { isTempFileName } from '../../platform/files/atomic-file.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { detectEncoding, tryDecode } from '../../platform/files/encodings.ts'
import { failWith } from '../../platform/files/file-error.ts'
import { type ResolvedPath, resolveInside } from '../../platform/files/real-path.ts'
import type { GrepFinding, GrepMatch, GrepQuery } from '../../tools/tool-operations.ts'
import { firstPaths, type GlobPattern, parseGlob } from './glob-pattern.ts'
import { type FoundLine, readGrepRecord, searchPatterns } from './grep-records.ts'
import { runGuardedRipgrep } from './run-ripgrep.ts'

/** Names and contents of a folder's files, by ripgrep: ignore files respected, links not followed. */
export type WorkspaceSearch = ReturnType<typeof createWorkspaceSearch>

type Deps = {
  disk: Disk
  root: string
  timeoutMs: number
  /** True where ignore files leave nothing out. */
  showsIgnored?: boolean
  /** True where hidden files are listed, too, except `unlistedHidden`. */
  showsHidden?: boolean
  /** Resolves the path of a file that lies elsewhere than it seems to; without this function `resolveInside` does. */
  resolve?: (path: string) => Promise<ResolvedPath>
}

/** Time limit where none is given. */
const usualTimeoutMs = 20_000
/** Maximum number of names that are collected before they are sorted. */
const limitCollected = 50_000
/** Units: bytes; characters of a line. */
const limitFileBytes = 10_000_000
const limitLineChars = 500

/** Hidden names that belong to a project's own text: the others (caches, keys, `.git`) are not searched. */
const searchedHidden =
  /^\.(?:github|gitlab|circleci|devcontainer|husky|storybook|changeset|vscode|tsugi|editorconfig|gitignore|gitattributes|gitlab-ci\.yml|travis\.yml|dockerignore|prettierrc|eslintrc)(?:\.(?:json|ya?ml|[cm]?js))?$/

/** Hidden files that change while somebody only looks at a project: of version control, editors and file managers. */
const unlistedHidden = [
  ...['.git', '.hg', '.svn', '.jj'],
  ...['.idea', '.vs', '.history', '.*.sw?', '.*.un~', '.*.kate-swp', '.#*', '.~lock.*'],
  ...['.DS_Store', '._*', '.directory', '.nfs*', '.fuse_hidden*', '.goutputstream-*'],
]

export function createWorkspaceSearch(given: Omit<Deps, 'timeoutMs'> & { timeoutMs?: number }) {
  const deps: Deps = { timeoutMs: usualTimeoutMs, ...given }
  return {
    glob: (pattern: string, limit: number, signal: AbortSignal) => glob(deps, pattern, limit, signal),
    /**
     * Lists all files, at most 50,000, in no order. Takes a quarter of the processor time of `glob`, which compares each
     * path with its pattern and sorts them. Errors: throws the signal's reason; `file/…` where that fails.
     */
    async files(signal: AbortSignal): Promise<Set<string>> {
      const place = await resolve(deps, '')
      return (await listed(deps, place, [], () => true, signal)).paths
    },
    grep: (query: GrepQuery, signal: AbortSignal, isSearched?: (path: string) => boolean) =>
      grep(deps, query, signal, isSearched),
  }
}

async function glob(deps: Deps, pattern: string, limit: number, signal: AbortSignal) {
  const parsed = parseGlob(pattern)
  if (parsed === undefined) return { paths: [], isCut: true }
  const place = await resolve(deps, parsed.folder)
  const isWanted = (below: string): boolean => parsed.matches(inside(parsed.folder, below))
  const { paths, isCut } = await listed(deps, place, nameFilter(parsed), isWanted, signal)
  return { paths: firstPaths([...paths], limit), isCut: isCut || paths.size > limit }
}

/** Lists files of a folder. Shape: `isWanted` gets paths relative to it; `options` are ripgrep's. */
async function listed(
  deps: Deps,
  place: ResolvedPath,
  options: readonly string[],
  isWanted: (below: string) => boolean,
  signal: AbortSignal,
) {
  // Ripgrep reports a name twice that is both an argument and below another argument.
  const paths = new Set<string>()
  if (!(await isFolder(deps.disk, place))) return { paths, isCut: false }
  const { isCut } = await inPinned(deps, place.absolute, async (cwd, roots) => {
    const args = ['--files', '--null', ...listingOptions(deps), ...options, '--', ...roots]
    const run = { ...deps, args, cwd, separator: '\0', signal } as const
    return runGuardedRipgrep(deps.disk, place.absolute, run, (record) => {
      const below = plainPath(record)
      if (isTempFileName(basename(below)) || !isWanted(below)) return true
      paths.add(inside(place.path, below))
      return paths.size < limitCollected
    })
  })
  return { paths, isCut }
}

function listingOptions({ showsIgnored = false, showsHidden = false }: Deps): string[] {
  const hidden = showsHidden ? ['--hidden', ...unlistedHidden.flatMap((name) => ['--glob', `!${name}`])] : []
  return showsIgnored ? ['--no-ignore', ...hidden] : hidden
}

async function grep(
  deps: Deps,
  query: GrepQuery,
  signal: AbortSignal,
  isSearched: (path: string) => boolean = () => true,
): Promise<GrepFinding> {
  const { disk } = deps
  const nothing = { matches: [], isCut: false, problem: null }
  const filter = query.glob === null ? null : parseGlob(query.glob)
  if (filter === undefined) return { ...nothing, isCut: true }
  const place = await resolve(deps, query.path)
  const isInFolder = await isFolder(disk, place)
  if (!isInFolder && !(await disk.lstat(place.absolute))?.isFile())
    throw new AppError({ code: 'file/not-found', path: query.path })
  const base = isInFolder ? place.path : dirname(place.path) === '.' ? '' : dirname(place.path)
  const patterns = searchPatterns(query.pattern, query.isLiteral)
  const args = ['--json', '--max-filesize', String(limitFileBytes), ...patterns.flatMap((one) => ['-e', one])]
  if (query.ignoreCase) args.push('--ignore-case')
  if (query.contextLines > 0) args.push('--context', String(query.contextLines))
  if (filter !== null && isInFolder) args.push(...nameFilter(filter))
  if (isInFolder) args.push(...listingOptions(deps))

  const found = new Map<string, FoundLine>()
  let hits = 0
  const folder = isInFolder ? place.absolute : dirname(place.absolute)
  const end = await inPinned(deps, folder, async (cwd, roots) => {
    const where = isInFolder ? roots : [`./${basename(place.absolute)}`]
    return runGuardedRipgrep(
      disk,
      folder,
      { ...deps, args: [...args, '--', ...where], cwd, separator: '\n', signal },
      (record) => {
        const line = readGrepRecord(record)
        if (line === undefined) return true
        const below = plainPath(line.path)
        const path = inside(base, below)
        const isNamed = filter === null || filter.matches(path) || filter.matches(below)
        // Filters before counting, so that the limit cuts the search only where another wanted match exists.
        if (!isNamed || isTempFileName(basename(below)) || !isSearched(path)) return true
        const key = `${line.line} ${path}`
        if (found.has(key)) return true
        if (!line.isContext) hits++
        if (hits > query.limit) return false
        found.set(key, { ...line, path })
        return true
      },
    )
  })
  const matches = await asMatches(deps, [...found.values()])
  return { matches, isCut: end.isCut, problem: end.problem }
}

/** Returns the lines in order, decoded as their file is, without those of files that really lie elsewhere. */
async function asMatches({ disk, root }: Deps, found: readonly FoundLine[]): Promise<GrepMatch[]> {
  const top = await disk.realPath(root)
  const byPath = Map.groupBy(found, ({ path }) => path)
  const order = firstPaths([...byPath.keys()], byPath.size)
  const parts = await Promise.all(
    order.map(async (path) => {
      const absolute = join(top, path)
      const isThere = (await disk.realPath(absolute).catch(() => null)) === absolute
      return isThere ? fileMatches(disk, absolute, byPath.get(path) ?? []) : []
    }),
  )
  return parts.flat()
}

async function fileMatches(disk: Disk, absolute: string, lines: readonly FoundLine[]): Promise<GrepMatch[]> {
  const isUtf8 = lines.every(({ bytes }) => tryDecode(bytes, 'utf-8') !== undefined)
  // Of a file that is gone or changed meanwhile, the lines are shown as well as they can be.
  const whole = isUtf8 ? undefined : await disk.readPlain(absolute, limitFileBytes).catch(() => undefined)
  const encoding = (whole && detectEncoding(whole)?.encoding) ?? 'utf-8'
  return lines.map(({ path, line, bytes, isContext, hitFrom }) => {
    const text = tryDecode(bytes, 'utf-8') ?? tryDecode(bytes, encoding) ?? bytes.toString('utf8')
    const before = bytes.subarray(0, hitFrom).toString('utf8').length
    return { path, line, text: clipAround(text.replace(/^\ufeff|\r?\n$/g, ''), before), isContext }
  })
}

/** Cuts a long line to the part around its match. Units: UTF-16. */
function clipAround(line: string, hit: number): string {
  if (line.length <= limitLineChars) return line
  const from = Math.max(0, Math.min(hit - 100, line.length - limitLineChars))
  const part = line.slice(from, from + limitLineChars).toWellFormed()
  return `${from > 0 ? '…' : ''}${part}${from + limitLineChars < line.length ? '…' : ''}`
}

/** Runs a search in the folder that is held open, even if its path leads elsewhere meanwhile (Linux). */
async function inPinned<T>(
  { disk, root }: Deps,
  absolute: string,
  work: (cwd: string, roots: string[]) => Promise<T>,
): Promise<T> {
  const pinned = await disk.pinFolder(absolute).catch(failWith(relative(root, absolute)))
  try {
    const roots = ['./']
    if (absolute === (await disk.realPath(root))) {
      for (const entry of await disk.list(pinned.path)) {
        if (!searchedHidden.test(entry.name)) continue
        const stats = entry.isFile() ? await disk.lstat(join(pinned.path, entry.name)) : undefined
        // Ripgrep does not apply its size limit to a file that is an argument.
        const isShort = stats !== undefined && stats.size <= limitFileBytes
        if (entry.isDirectory() || isShort) roots.push(`./${entry.name}`)
      }
    }
    return await work(pinned.path, roots)
  } finally {
    await pinned.close()
  }
}

/** Returns options for ripgrep's filter by file type, which, unlike its globs, does not let ignored files in. */
function nameFilter({ names }: GlobPattern): string[] {
  if (names === null) return []
  return [...names.flatMap((name) => ['--type-add', `wanted:${name}`]), '--type', 'wanted']
}

function resolve(deps: Deps, path: string): Promise<ResolvedPath> {
  return deps.resolve?.(path) ?? resolveInside(deps.disk, deps.root, path)
}

async function isFolder(disk: Disk, place: ResolvedPath): Promise<boolean> {
  return place.isPresent && ((await disk.lstat(place.absolute))?.isDirectory() ?? false)
}

/** Normalizes a path as ripgrep writes it, relative to where it runs. */
function plainPath(path: string): string {
  return (sep === '\\' ? path.replaceAll(sep, '/') : path).replace(/^\.\//, '')
}

function inside(folder: string, below: string): string {
  return folder === '' ? below : `${folder}/${below}`
}
