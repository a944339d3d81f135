import type { Dirent } from 'node:fs'
import { extname, join } from 'node:path'
import { isMaterialFolder, type WorkFile, type WorkFileKind } from '../../../shared/domain/work/work-file.ts'
import { isTempFileName } from '../../platform/files/atomic-file.ts'
import { type Disk, errorCode } from '../../platform/files/disk.ts'
import { toFileError } from '../../platform/files/file-error.ts'
import { sortedByPath } from '../../platform/files/natural-order.ts'
import { isInside } from '../../platform/files/real-path.ts'
import { type WorkJson, workFileName } from './work-json.ts'

const textExtensions = new Set(['.txt', '.text', '.md', '.markdown'])
const skippedFolder = /^(\..*|node_modules|__MACOSX)$/
/** Names of files that build tools and package managers read at the top of a project. */
const manifest =
  /^(package\.json|deno\.jsonc?|Cargo\.toml|pyproject\.toml|setup\.py|requirements\.txt|go\.mod|pom\.xml|build\.gradle(\.kts)?|Gemfile|composer\.json|CMakeLists\.txt|Makefile|mix\.exs|pubspec\.yaml|Package\.swift|.*\.(sln|csproj|cabal|gemspec))$/
const ignoreFile = /^\.(git|gitignore|ignore|rgignore)$/
/** Names of files that tell assistants how to work in a folder. */
const steeringFile = /^(AGENTS|CLAUDE|GEMINI)\.md$/
const limitDepth = 8
const limitEntries = 5_000

/** The files in a work's folder. Shape: `folders` are the real paths that were read, for watching. */
export type WorkScan = {
  files: WorkFile[]
  folders: string[]
  /** A manifest lies at the top, or a Git repository that holds no plain texts. */
  isProject: boolean
  /** A Git repository, or a file that names what to ignore, lies in one of the folders. */
  hasIgnoreFile: boolean
  /** Names of links, which no list of ignored files contains. */
  links: ReadonlySet<string>
}

/**
 * Lists a folder as a work: manuscripts in their order, then everything else in natural order.
 *
 * Hidden entries, `work.json` and our temporary files are left out; a linked folder is not entered. At most
 * 5,000 entries, eight folders deep: larger folders are no works, and their rest is not listed.
 * Files that a session made, and files that steer a session, are material unless the author says otherwise.
 * A name that cannot be examined is listed as such and skipped, so that one entry never closes the folder.
 * Errors: `file/not-found`, `file/denied` for the folder itself.
 */
export async function scanWork(
  disk: Disk,
  root: string,
  values: WorkJson,
  madeBySessions: ReadonlySet<string> = new Set(),
): Promise<WorkScan> {
  const found: { path: string; kind: WorkFileKind }[] = []
  const folders: string[] = []
  let hasManifest = false
  let hasRepository = false
  let hasIgnoreFile = false
  const links = new Set<string>()

  async function visit(folder: string, prefix: string, depth: number, isMaterial: boolean): Promise<void> {
    const entries = await listed(disk, folder, depth)
    folders.push(folder)
    if (depth === 0) {
      hasManifest = entries.some((entry) => entry.isFile() && manifest.test(entry.name))
      hasRepository = entries.some(({ name }) => name === '.git')
    }
    hasIgnoreFile ||= entries.some(({ name }) => ignoreFile.test(name))
    for (const entry of sortedByPath(entries, ({ name }) => name)) {
      if (found.length >= limitEntries) return
      const path = prefix + entry.name
      if (entry.isDirectory()) {
        if (skippedFolder.test(entry.name) || depth >= limitDepth) continue
        found.push({ path, kind: 'folder' })
        const isNowMaterial = isMaterial || isMaterialFolder(entry.name)
        await visit(join(folder, entry.name), `${path}/`, depth + 1, isNowMaterial)
      } else {
        const listing = await examined(folder, entry)
        if (listing === 'unreadable') found.push({ path, kind: 'unreadable' })
        else if (listing === 'file') {
          const isOfSession = madeBySessions.has(path) || steeringFile.test(entry.name)
          found.push({ path, kind: kindOf(path, isMaterial || isOfSession, values) })
          if (entry.isSymbolicLink()) links.add(path)
        }
      }
    }
  }

  async function examined(folder: string, entry: Dirent): Promise<'file' | 'unreadable' | 'skipped'> {
    if (entry.name.startsWith('.') || isTempFileName(entry.name)) return 'skipped'
    if (folder === root && entry.name === workFileName) return 'skipped'
    if (!entry.isSymbolicLink()) return entry.isFile() ? 'file' : 'skipped'
    const target = join(folder, entry.name)
    try {
      const stats = await disk.stat(target)
      return stats?.isFile() && isInside(root, await disk.realPath(target)) ? 'file' : 'skipped'
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      return 'unreadable'
    }
  }

  try {
    await visit(root, '', 0, false)
  } catch (error) {
    throw toFileError(error, root)
  }
  const hasPlainText = found.some(
    ({ path, kind }) => kind === 'manuscript' && !/\.(md|markdown)$/i.test(path),
  )
  const isProject = hasManifest || (hasRepository && !hasPlainText)
  return { files: inOrder(found, values), folders, isProject, hasIgnoreFile, links }
}

/** Returns the scanned paths that are not in `listed`, and the folders that hold nothing but ignored files. */
export function ignoredOf({ files, links }: WorkScan, listed: ReadonlySet<string>): Set<string> {
  const isFile = ({ path, kind }: WorkFile) => kind !== 'folder' && kind !== 'unreadable' && !links.has(path)
  const ignored = new Set(
    files.filter((file) => isFile(file) && !listed.has(file.path)).map(({ path }) => path),
  )
  const shown = new Set<string>()
  const holdsIgnored = new Set<string>()
  for (const { path, kind } of files) {
    if (kind === 'folder') continue
    const folders = ignored.has(path) ? holdsIgnored : shown
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      folders.add(path.slice(0, at))
  }
  for (const folder of holdsIgnored) if (!shown.has(folder)) ignored.add(folder)
  return ignored
}

/** Lists a folder; one that cannot be listed hides only its own content. */
async function listed(disk: Disk, folder: string, depth: number): Promise<Dirent[]> {
  try {
    return await disk.list(folder)
  } catch (error) {
    if (depth > 0 && errorCode(error) !== undefined) return []
    throw error
  }
}

function kindOf(path: string, isMaterial: boolean, values: WorkJson): WorkFileKind {
  if (!textExtensions.has(extname(path).toLowerCase())) return 'other'
  return values.kinds[path] ?? (isMaterial ? 'material' : 'manuscript')
}

function inOrder(found: readonly { path: string; kind: WorkFileKind }[], { order, pages }: WorkJson) {
  const place = new Map(order.map((path, index) => [path.normalize('NFC'), index]))
  const placeOf = (path: string): number => place.get(path.normalize('NFC')) ?? order.length
  const sorted = sortedByPath(found, ({ path }) => path)
  const manuscripts = sorted
    .filter(({ kind }) => kind === 'manuscript')
    .sort((a, b) => placeOf(a.path) - placeOf(b.path))
  const others = sorted.filter(({ kind }) => kind !== 'manuscript')
  return [...manuscripts, ...others].map(({ path, kind }, index) => ({
    path,
    kind,
    order: index,
    ...(pages[path] && { page: pages[path] }),
  }))
}
