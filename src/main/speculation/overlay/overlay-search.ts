import { AppError } from '../../../shared/errors.ts'
import type { Disk } from '../../platform/files/disk.ts'
import type { ResolvedPath } from '../../platform/files/real-path.ts'
import { isAbsolutePath, pathBelow, pathIn } from '../../tools/defining/root-path.ts'
import type {
  FoundPath,
  GrepFinding,
  GrepMatch,
  GrepQuery,
  ToolOperations,
} from '../../tools/tool-operations.ts'
import { firstPaths, parseGlob } from '../../workspace/search/glob-pattern.ts'
import type { WorkspaceSearch } from '../../workspace/search/workspace-search.ts'
import { isUnder, type Layer } from './layer.ts'
import type { OverlayFolder } from './overlay.ts'
import type { OverlayPaths } from './overlay-paths.ts'
import { type OverlayView, placeInView } from './overlay-view.ts'

type Search = Pick<ToolOperations, 'glob' | 'grep'>

/** Makes a search in a folder. `resolve`: where a file lies, in a folder whose files appear under other paths. */
export type SearchIn = (place: {
  root: string
  resolve?: (path: string) => Promise<ResolvedPath>
  showsIgnored?: boolean
  showsHidden?: boolean
}) => WorkspaceSearch

type Deps = OverlayFolder & {
  disk: Disk
  layer: Layer
  paths: OverlayPaths
  view: OverlayView
  searchIn: SearchIn
  /** Called with the files below of which lines were shown. */
  noteShown(paths: readonly string[]): Promise<void>
}

/**
 * True for a file that decides what searches leave out. Searches of a speculation go by those on the disk, so a
 * speculation writes, moves and removes none, except one in a folder that its command made.
 */
export function isIgnoreFile(path: string): boolean {
  return /(?:^|\/)(?:\.(?:git|rg)?ignore|\.git\/info\/exclude)$/i.test(path)
}

const noLines: GrepFinding = { matches: [], isCut: false, problem: null }

/**
 * Searches by two runs of the real search: in the folder below for unchanged files, in a view of the layer for changed
 * ones. Ignore files count below only: what a speculation has written is always found. It changes none of them.
 */
export function createOverlaySearch(deps: Deps): Search {
  const { layer, paths, base } = deps

  return {
    async glob(pattern, limit, signal) {
      const parsed = parseGlob(pattern)
      if (layer.size === 0 || parsed === undefined) return base.glob(pattern, limit, signal)
      // Paths that are deleted or changed in the layer are removed from the result below.
      const [below, ours] = await Promise.all([
        base.glob(pattern, limit + layer.size, signal),
        globView(pattern, limit, signal),
      ])
      const found = [...below.paths.filter((path) => layer.at(path) === undefined), ...ours.paths]
      const isCut = below.isCut || ours.isCut || found.length > limit
      return { paths: firstPaths(found, limit), isCut }
    },

    async grep(query, signal, isSearched = () => true) {
      const { found, node } = await paths.look(query.path)
      if (found.kind === 'none') throw new AppError({ code: 'file/not-found', path: query.path })
      const here = { ...query, path: found.path }
      const isOurs = (path: string): boolean => layer.at(path) !== undefined
      const isSearchedBelow = (path: string): boolean => !isOurs(path) && isSearched(path)
      const isBelow = node === undefined || (await base.locate(found.path)).kind === found.kind
      const [below, ours] = await Promise.all([
        node?.kind === 'file' || !isBelow ? noLines : base.grep(here, signal, isSearchedBelow),
        node === undefined && !hasNodes(found) ? noLines : grepView(found, here, signal, isSearched),
      ])
      const matches = inOrder([...below.matches, ...ours.matches])
      const shown = firstHits(matches, query.limit)
      await deps.noteShown([...new Set(shown.map(({ path }) => path))].filter((path) => !isOurs(path)))
      const isCut = below.isCut || ours.isCut || shown.length < matches.length
      return { matches: shown, isCut, problem: below.problem ?? ours.problem }
    },
  }

  function hasNodes({ path }: FoundPath): boolean {
    for (const [changed, node] of layer.all()) {
      if (node.kind === 'file' && isUnder(path, changed)) return true
    }
    return false
  }

  async function globView(pattern: string, limit: number, signal: AbortSignal) {
    if (!isAbsolutePath(pattern)) return inView(undefined, (search) => search.glob(pattern, limit, signal))
    const folder = `/${parseGlob(pattern)?.folder ?? ''}`
    const { found } = await paths.look(folder)
    const top = found.root ?? deps.root
    const below = pathBelow(top, pattern)
    if (below === null) return { paths: [], isCut: false }
    const ours = await inView(found.root, (search) => search.glob(below, limit, signal))
    return { ...ours, paths: ours.paths.map((path) => nameIn(found.root, path)) }
  }

  async function grepView(
    { path, root }: FoundPath,
    query: GrepQuery,
    signal: AbortSignal,
    isSearched: (path: string) => boolean,
  ): Promise<GrepFinding> {
    const below = root === undefined ? path : (pathBelow(root, path) ?? '.')
    const finding = await inView(root, (search) =>
      search.grep({ ...query, path: below }, signal, (found) => isSearched(nameIn(root, found))),
    )
    const matches = finding.matches.map((match) => ({ ...match, path: nameIn(root, match.path) }))
    return { ...finding, matches }
  }

  /** Shape: `root` is an added folder, undefined for the session's own. */
  function inView<T>(root: string | undefined, work: (search: Search) => Promise<T>): Promise<T> {
    return deps.view.use(async (top) => {
      const viewRoot = placeInView(top, root ?? '.')
      await deps.disk.makeFolder(viewRoot, 0o700)
      const resolve = async (path: string): Promise<ResolvedPath> => {
        const { found } = await paths.look(root === undefined ? path || '.' : pathIn(root, path))
        const absolute = placeInView(top, found.path)
        const below = root === undefined ? found.path : (pathBelow(root, found.path) ?? found.path)
        const isPresent = (await deps.disk.lstat(absolute)) !== undefined
        return { absolute, path: below === '.' ? '' : below, isPresent }
      }
      return work(deps.searchIn({ root: viewRoot, resolve, showsIgnored: true }))
    })
  }

  function nameIn(root: string | undefined, path: string): string {
    return root === undefined ? path : pathIn(root, path)
  }
}

function inOrder(matches: readonly GrepMatch[]): GrepMatch[] {
  const byPath = Map.groupBy(matches, ({ path }) => path)
  return firstPaths([...byPath.keys()], byPath.size).flatMap((path) => byPath.get(path) ?? [])
}

/** Returns the lines up to `limit` matches, with their context. */
function firstHits(matches: readonly GrepMatch[], limit: number): GrepMatch[] {
  let hits = 0
  const end = matches.findIndex(({ isContext }) => !isContext && ++hits > limit)
  return end < 0 ? [...matches] : matches.slice(0, end)
}
