import type { RiskReason } from '../../../shared/domain/session/gate.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { isAbsolutePath } from '../../tools/defining/root-path.ts'
import type { ShellCheck } from '../../tools/shell/create-shell-check.ts'
import { type FolderView, limitLiteral, literalLine } from '../../tools/shell/literal-line.ts'
import type { Redirect, SimpleCommand } from '../../tools/shell/parsing/plain-line.ts'
import type { ShellLine } from '../../tools/shell/parsing/shell-line.ts'
import type { Word } from '../../tools/shell/parsing/shell-word.ts'
import { isRefusal } from '../../tools/shell/programs/read-options.ts'
import {
  type CommandLists,
  type CommandWords,
  isPlainAssignment,
  type LayeredCommand,
  layersOf,
} from '../rules/command-pattern.ts'
import type { FileKinds } from './file-kinds.ts'
import { isFolder, isMissing, namesIn } from './folder-assessment.ts'
import { createPathAssessment, type PathAssessment, textsIn } from './path-assessment.ts'
import { realPlace } from './real-place.ts'

export type CommandAssessmentDeps = {
  shell: ShellCheck
  disk: Disk
  kinds: FileKinds
  lists: CommandLists
  /** Most names to read in a folder; absent: the usual limit. */
  limitEntries?: number
}

/**
 * The facts about a command line before it runs.
 *
 * Shape: `commands` are all that it may run, those in quoted scripts included; `toAllow` those that need consent, null
 * where that is not certain. `parts` are the simple commands as they stand in the line. `readsDeep` where the contents
 * of a whole folder are read.
 */
export type CommandAssessment = {
  isReadOnly: boolean
  commands: readonly CommandWords[]
  toAllow: readonly LayeredCommand[] | null
  parts: readonly string[]
  paths: readonly string[]
  readsDeep: boolean
  reasons: readonly RiskReason[]
}

/**
 * Assesses a line that would run in `folder` of `root`, or of `others`, which it may access too. `isReadOnly` is the
 * caller's finding, who also knows the folder's git configuration; the line is read-only where both find it so.
 */
export async function assessCommand(
  deps: CommandAssessmentDeps,
  root: string,
  command: { line: string; folder: string; isReadOnly: boolean; literal?: string | null },
  others: readonly string[] = [],
): Promise<CommandAssessment> {
  const { shell } = deps
  const written = await shell.read(command.line)
  const isReadOnly = command.isReadOnly && !isRefusal(shell.readOnly(written))
  const line = await measuredLine(shell, written)
  let literal: string | null = null
  if (isReadOnly) {
    const view = folderView(deps.disk, root, command.folder, others)
    literal = command.literal === undefined ? await literalLine(shell, written, view) : command.literal
  }
  // The line runs with its patterns expanded: the paths of the expanded line are assessed.
  const looked = literal === null ? line : await shell.read(literal, limitLiteral)
  const paths = createPathAssessment(deps, root, command.folder, others)
  const toAllow: LayeredCommand[] = []
  for (const part of looked.commands) {
    const needsLeave = await assessPart(deps, paths, looked, part, isReadOnly)
    if (needsLeave) toAllow.push(layersOf(wordsOf(part), deps.lists))
  }
  for (const redirect of looked.redirects) {
    if (redirect.target !== null && !isHarmless(redirect))
      await paths.word(redirect.target, !redirect.operator.startsWith('<'))
  }
  const found = paths.result()
  return {
    isReadOnly,
    commands: [
      ...(await nestedCommands(shell, line, 0)),
      ...(looked === line ? [] : looked.commands.map(wordsOf)),
    ],
    toAllow: isCertain(deps, line) ? toAllow : null,
    parts: line.commands.map(({ from, to }) => line.source.slice(from, to)),
    paths: found.paths,
    readsDeep: found.readsDeep,
    reasons: [
      ...(isReadOnly && literal === null ? [{ code: 'unparsed', detail: line.source } as const] : []),
      ...lineReasons(shell, line, isReadOnly),
      ...found.reasons,
    ],
  }
}

/** Returns the view of a folder from which patterns are expanded: a folder that lies outside has no names. */
export function folderView(
  disk: Disk,
  root: string,
  folder: string,
  others: readonly string[] = [],
): FolderView {
  const base = isAbsolutePath(folder) ? folder : `${root}/${folder}`
  const placeOf = (path: string): string => (isAbsolutePath(path) ? path : `${base}/${path}`)
  return {
    async namesIn(path) {
      const place = await realPlace(disk, root, placeOf(path), others)
      return place?.isInside === true ? namesIn(disk, placeOf(path)) : []
    },
    isFolder: (path) => isFolder(disk, placeOf(path)),
    isMissing: (path) => isMissing(disk, placeOf(path)),
  }
}

/** Returns the line that the shell's own `time` measures, which is all that runs; else the line as written. */
async function measuredLine(shell: ShellCheck, written: ShellLine): Promise<ShellLine> {
  if (written.kind !== 'complex') return written
  const line = await shell.read(written.source.replace(/^[ \t]*time[ \t]+(?:-p[ \t]+)?/, ''))
  return line.kind === 'plain' ? line : written
}

/** Assesses the paths of one simple command; returns true where it does more than read. */
async function assessPart(
  { shell }: CommandAssessmentDeps,
  paths: PathAssessment,
  line: ShellLine,
  part: SimpleCommand,
  isReadOnlyLine: boolean,
): Promise<boolean> {
  const own = await shell.read(line.source.slice(part.from, part.to), limitLiteral)
  const reads = shell.readOnly(own)
  const name = part.words[0]?.value ?? ''
  // What git reads depends on its configuration, too: only the finding for the whole line covers that.
  const isReadOnly = !isRefusal(reads) && (isReadOnlyLine || name !== 'git')
  if (isReadOnly) {
    for (const operand of reads.operands) await paths.operand(operand)
    if (name === 'git') for (const word of part.words) paths.gitWord(word)
  } else for (const word of [...part.assignments, ...part.words]) await paths.word(word, true)
  if (name === 'cd' || name === 'pushd' || name === 'popd') paths.move(targetOf(part, name))
  return !isReadOnly
}

/** Returns where a `cd` leads; null where only the shell knows. */
function targetOf({ words }: SimpleCommand, name: string): string | null {
  const target = words.at(-1)?.value ?? null
  const isPlain = name === 'cd' && words.length === 2 && target !== null && !/^[-~]/.test(target)
  return isPlain ? target : null
}

/** True for a line that does no more than its words say: only such a line can be allowed by patterns. */
function isCertain(
  { shell, lists }: CommandAssessmentDeps,
  { kind, commands, redirects }: ShellLine,
): boolean {
  return (
    kind === 'plain' &&
    redirects.every((redirect) => redirect.operator.startsWith('<') || isHarmless(redirect)) &&
    commands.every(
      (command) =>
        command.assignments.every(({ value }) => isPlainAssignment(value, lists)) && !shell.isOpaque(command),
    )
  )
}

function isHarmless({ operator, target }: Redirect): boolean {
  if (target === null || operator.startsWith('<<')) return true
  return target.raw === '/dev/null' || (operator.endsWith('&') && /^\d+$/.test(target.raw))
}

/** Returns what makes a line risky by itself, apart from its paths. */
export function lineReasons(shell: ShellCheck, line: ShellLine, isReadOnly: boolean): RiskReason[] {
  if (isReadOnly) return []
  const reasons: RiskReason[] = line.commands
    .filter((command) => shell.isOpaque(command))
    .map(({ from, to }) => ({ code: 'opaque', detail: line.source.slice(from, to) }))
  if (line.kind !== 'plain') reasons.push({ code: 'unparsed', detail: line.source })
  for (const { code, about } of shell.risks(line)) {
    if (code === 'runs-script') reasons.push({ code: 'script', detail: about })
    else if (code === 'writes-file' || code === 'not-read-only')
      reasons.push({ code: 'command', detail: about })
    else if (code !== 'unparsed') reasons.push({ code, detail: about })
  }
  return reasons.length > 0 ? reasons : [{ code: 'command', detail: line.source }]
}

const limitDepth = 3

/** Returns the line's commands and those in words that look like lines (`sh -c "…"`), for the rules that refuse. */
async function nestedCommands(shell: ShellCheck, line: ShellLine, depth: number): Promise<CommandWords[]> {
  const found = line.commands.map(wordsOf)
  if (depth === limitDepth) return found
  for (const command of line.commands.filter((each) => shell.isOpaque(each))) {
    for (const text of command.words.flatMap(({ value }) => textsIn(value ?? ''))) {
      if (/\s/.test(text)) found.push(...(await nestedCommands(shell, await shell.read(text), depth + 1)))
    }
  }
  return found
}

function wordsOf({ words }: SimpleCommand): CommandWords {
  return words.map(({ value }: Word) => value)
}
