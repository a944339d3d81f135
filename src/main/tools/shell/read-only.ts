import type { CommandRule, CommandRules, GitRules } from './command-rule.ts'
import { isSmallBrace } from './expand-words.ts'
import type { Redirect, SimpleCommand } from './parsing/plain-line.ts'
import type { ShellLine } from './parsing/shell-line.ts'
import type { Word } from './parsing/shell-word.ts'
import type { CommandReads } from './programs/command-words.ts'
import { checkGit, type GitCommand } from './programs/git-command.ts'
import { deviceRefusal, obstacleOf, type PathOperand, Places } from './programs/path-operand.ts'
import { isRefusal, type Refusal } from './programs/read-options.ts'
import { checkCommand } from './programs/special-commands.ts'

/** The reads of a read-only line: scope and secrets are checked for its `operands`. */
export type LineReads = { operands: PathOperand[]; gitCommands: GitCommand[] }

/** Data of the check; both files lie in `resources/shell`. */
export type ReadOnlyRules = { commands: CommandRules; git: GitRules }

/** A format that pads its output to a large width (`%2000000000d`, `%<(99999999)`), of whichever command. */
const wideFormat = /%\w?[^%A-Za-z]*\d{5}/

/**
 * Decides whether a line only reads, by its text alone; a refusal names the part that is not known to only read.
 *
 * Necessary, not sufficient: scope, secrets, rules and the folder's git configuration come after it.
 */
export function checkReadOnly(rules: ReadOnlyRules, line: ShellLine): LineReads | Refusal {
  if (line.kind !== 'plain')
    return { reason: line.kind === 'complex' ? 'structure' : 'syntax', about: line.source }
  const places = new Places()
  const reads: LineReads = { operands: [], gitCommands: [] }
  const variables = variableRefusal(line.commands)
  if (variables !== null) return variables
  for (const command of line.commands) {
    const refusal = assignmentRefusal(command) ?? commandRefusal(command.words)
    if (refusal !== null) return refusal
  }
  // The position of a redirection does not matter: all folders that the line may be in are checked.
  for (const redirect of line.redirects) {
    const refusal = redirectRefusal(redirect)
    if (refusal !== null) return refusal
  }
  return reads

  /** Accepts assignments alone in a line, without lasting effect; before a command they could change what runs. */
  function assignmentRefusal({ words, assignments }: SimpleCommand): Refusal | null {
    if (assignments.length === 0) return words.length > 0 ? null : { reason: 'redirect', about: line.source }
    const isAlone = words.length + line.redirects.length === 0 && line.commands.length === 1
    const isKnown = assignments.every(({ value }) => value !== null)
    return isAlone && isKnown ? null : { reason: 'assignment', about: assignments[0]?.raw ?? '' }
  }

  function commandRefusal(words: readonly Word[]): Refusal | null {
    if (words.length === 0) return null
    const [name, ...args] = words
    const wide = words.find(({ value }) => wideFormat.test(value ?? ''))
    if (wide !== undefined) return { reason: 'endless', about: wide.raw }
    const open = words.find((word) => word.hazards.includes('brace') && !isSmallBrace(word.raw))
    if (open !== undefined) return { reason: 'expansion', about: open.raw }
    const rule = name === undefined || name.raw !== name.value ? undefined : rules.commands.get(name.raw)
    if (name === undefined || rule === undefined) return { reason: 'command', about: name?.raw ?? '' }
    if (rule.check === 'git') {
      const checked = checkGit(rules.git, words, places.all)
      if (isRefusal(checked)) return checked
      reads.gitCommands.push(checked.git)
      const how = rules.git.get(checked.git.subcommand?.value ?? '')?.reads ?? 'names'
      return note(name.raw, checked.reads, how)
    }
    if (isHelp(rule, args)) return null
    const checked = checkCommand(rules.commands, name.raw, rule, args)
    if (isRefusal(checked)) return checked
    const { innerPaths = [], isInnerDeep = false, followsLinks } = checked
    const inner = { paths: innerPaths, isDeep: isInnerDeep, followsLinks }
    const how = checked.readsFound === true ? 'contents' : rule.reads
    const refusal = note(name.raw, checked, how) ?? note(name.raw, inner, 'contents')
    if (name.raw === 'cd') {
      const target = args.at(-1)?.value ?? null
      places.move(target?.startsWith('-') ? null : target)
    }
    return refusal
  }

  function note(command: string, found: CommandReads, how: 'names' | 'contents'): Refusal | null {
    const { paths, isDeep, followsLinks, hidden = null, readsIgnored = true, named = null } = found
    const { skipsBinary = false } = found
    const readsLinks = found.readsFound === true || found.readsLinks === true
    for (const path of paths) {
      const traits = { isDeep, followsLinks, readsLinks, hidden, readsIgnored, named, skipsBinary }
      const operand = operandOf(command, path, { reads: how, ...traits })
      const refusal = deviceRefusal(operand)
      if (refusal !== null) return refusal
      reads.operands.push(operand)
    }
    return null
  }

  function operandOf(
    command: string,
    path: Word | string,
    how: Omit<PathOperand, 'command' | 'raw' | 'paths' | 'obstacle'>,
  ): PathOperand {
    const isText = typeof path === 'string'
    const text = isText ? path : path.value
    const raw = isText ? path : path.raw
    // Git expands patterns by itself, also quoted ones.
    const isPathspec = command === 'git' && /^:|[*?[]/.test(text ?? '')
    const obstacle = isPathspec ? 'glob' : isText ? null : obstacleOf(path)
    const paths = text === null || obstacle !== null ? null : places.resolve(text)
    return {
      command,
      raw,
      paths: paths ?? [],
      obstacle: paths === null ? (obstacle ?? 'place') : null,
      ...how,
    }
  }

  function redirectRefusal({ operator, target }: Redirect): Refusal | null {
    if (target === null || operator === '<<<') return null
    const refusal: Refusal = { reason: 'redirect', about: `${operator} ${target.raw}` }
    if (operator === '>&' || operator === '<&')
      return /^\d+$/.test(target.raw) || (operator === '>&' && target.raw === '/dev/null') ? null : refusal
    if (operator !== '<') return target.raw === '/dev/null' ? null : refusal
    // The value of a variable might be one of the shell's own network devices.
    if (target.value === null) return refusal
    if (target.value === '/dev/null') return null
    return note('<', { paths: [target], isDeep: false, followsLinks: false }, 'contents')
  }
}

/** True for `--help` or `--version` alone; not where the folder decides which program answers (`version`). */
function isHelp({ check }: CommandRule, [only, ...more]: readonly Word[]): boolean {
  return check !== 'version' && more.length === 0 && (only?.raw === '--help' || only?.raw === '--version')
}

/**
 * Refuses expansions that look up a name in a variable's value: they run code in a subscript of that value. They are
 * harmless only where nothing in the line could have set a variable (`$_` is set by every command).
 */
function variableRefusal(commands: readonly SimpleCommand[]): Refusal | null {
  const words = commands.flatMap((command) => [...command.words, ...command.assignments])
  const sensitive = words.find(({ hazards }) => hazards.includes('indirect') || hazards.includes('assigns'))
  if (sensitive === undefined) return null
  const isOnly = commands.length === 1 && words.filter(({ hazards }) => hazards.length > 0).length === 1
  const isSingle = sensitive.hazards.length === 1
  return isOnly && isSingle ? null : { reason: 'expansion', about: sensitive.raw }
}
