import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { isAppError } from '../../shared/errors.ts'
import { withoutEnd } from '../../shared/text/without-end.ts'
import type { AgentPrompts } from '../prompts/agent-prompts.ts'
import { harmless } from '../tools/defining/result-text.ts'
import type { ToolOperations } from '../tools/tool-operations.ts'
import { type ProjectCommand, projectCommands, projectFiles } from './project-commands.ts'

/** A command line of Git that only reads, and its environment. */
type HardenedGit = { line: string; env: Record<string, string> }

export type SurroundingsDeps = {
  root: string
  operations: Pick<ToolOperations, 'glob' | 'read'>
  prompts: AgentPrompts
  /** The present time, for the date. Units: ms since 1970. */
  now: number
  platform: string
  decode(bytes: Uint8Array, path: string): string
  /** True for files that may be read without a question. */
  isFree(path: string): boolean
  /** Commands of this folder run in a copy of it. */
  isSandboxed: boolean
  /** The command line that asks Git for its state; null where no command runs in the folder. Errors: as Git's check. */
  git(): Promise<HardenedGit | null>
}

/** Maximum number of files that are read for a tree of two levels. */
const limitPaths = 5_000
const limitFileBytes = 200_000
const gitLimits = { timeout: 3_000, maxBuffer: 4_000_000 } as const
const systems: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }

/** Returns the description of its surroundings for a model: system, day, folder, Git, commands. Never throws. */
export async function readSurroundings(deps: SurroundingsDeps, signal: AbortSignal): Promise<string> {
  const { prompts, operations } = deps
  const { surroundings: words } = prompts
  const [{ paths }, commands, git] = await Promise.all([
    operations.glob('**', limitPaths, signal).catch(nothingOf({ paths: [] as string[] })),
    findCommands(deps),
    gitState(deps),
  ])
  const tree = folderTree(paths.map(shownName), (count) => words.more.replace('{{count}}', String(count)))
  const gitLine =
    git === null
      ? words.noGit
      : words.git.replace('{{branch}}', () => git.branch).replace('{{changed}}', String(git.changed))
  const lines = commands.map(({ line }) => shownName(line))
  const text = prompts.render('surroundings', {
    system: systems[deps.platform] ?? deps.platform,
    day: dayOf(new Date(deps.now)),
    folder: shownName(basename(deps.root)),
    git: gitLine,
    commands: commands.length === 0 ? '' : words.found.replace('{{commands}}', () => lines.join(', ')),
    sandbox: deps.isSandboxed ? words.copy : words.inPlace,
    tree,
  })
  const written = text.split('\n').map((line) => withoutEnd(line, ' \t'))
  return written.join('\n').trimEnd()
}

/** Returns the day where the user is, which east of Greenwich begins before that of UTC. */
function dayOf(now: Date): string {
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}

/** Returns the commands that a folder's own files name, of those that may be read. */
export async function findCommands({
  operations,
  decode,
  isFree,
}: {
  operations: Pick<ToolOperations, 'read'>
} & Pick<SurroundingsDeps, 'decode' | 'isFree'>): Promise<ProjectCommand[]> {
  const texts = new Map<string, string>()
  for (const name of projectFiles) {
    const file = await operations.read(name, limitFileBytes).catch(nothingOf(null))
    if (file === null || !isFree(file.path)) continue
    const text = await Promise.resolve(file.bytes)
      .then((bytes) => decode(bytes, name))
      .catch(nothingOf(null))
    if (text !== null) texts.set(name, text)
  }
  return projectCommands(texts)
}

/** Returns null where the folder is not a Git repository, or Git may not be run. */
async function gitState(deps: SurroundingsDeps): Promise<{ branch: string; changed: number } | null> {
  const command = await deps.git().catch(nothingOf(null))
  if (command === null) return null
  const output = await new Promise<string | null>((resolve) => {
    const options = { cwd: deps.root, env: command.env, ...gitLimits }
    // Bash takes Node's pipes for a remote login and would read `.bashrc`, which can define another `git`.
    execFile('bash', ['--norc', '-p', '-c', command.line], options, (error, stdout) =>
      resolve(error === null ? stdout : null),
    )
  })
  if (output === null) return null
  const [head = '', ...changed] = output.split('\n').filter((line) => line !== '')
  const branch = head
    .replace(/^## (No commits yet on )?/, '')
    .replace(/\.\.\..*$/, '')
    .trim()
  return { branch: shownName(branch), changed: changed.length }
}

function shownName(text: string): string {
  return harmless(text).replaceAll('\n', '␊')
}

function nothingOf<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAppError(error)) return value
    throw error
  }
}

/** Maximum number of lines of the tree. */
const limitLines = 100

/**
 * Returns the files of a folder as a tree of two levels: a folder ends with a slash, its entries are indented.
 *
 * Shape: `paths` relative, with `/`; `more` returns the line about entries that are left out, by their number.
 */
export function folderTree(paths: readonly string[], more: (count: number) => string): string {
  const folders = new Map<string, Set<string>>()
  const files = new Set<string>()
  for (const path of paths) {
    const [top = '', ...rest] = path.split('/')
    if (rest.length === 0) files.add(top)
    else {
      const entries = folders.get(top) ?? new Set<string>()
      entries.add(rest.length === 1 ? (rest[0] ?? '') : `${rest[0]}/`)
      folders.set(top, entries)
    }
  }
  const nested = [...folders].flatMap(([name, entries]) => [
    `${name}/`,
    ...[...entries].map((entry) => `  ${entry}`),
  ])
  const lines = [...nested, ...files]
  if (lines.length <= limitLines) return lines.join('\n')
  return [...lines.slice(0, limitLines - 1), more(lines.length - limitLines + 1)].join('\n')
}
