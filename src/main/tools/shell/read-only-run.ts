import type { GitCommand } from './programs/git-command.ts'
import type { Refusal } from './programs/read-options.ts'
import type { LineReads } from './read-only.ts'

/** Settings for every use of git: none of these features is needed to read, and each can name a program or a place. */
const gitSettings: readonly (readonly [string, string])[] = [
  // The error message quotes a line of a file that is not such a list.
  ['blame.ignoreRevsFile', ''],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  // The name of a secret is not recognised where characters are written as numbers.
  ['core.quotePath', 'false'],
  // Otherwise `git diff` writes the index.
  ['diff.autoRefreshIndex', 'false'],
  ['diff.submodule', 'short'],
  ['diff.ignoreSubmodules', 'all'],
  ['diff.srcPrefix', 'a/'],
  ['diff.dstPrefix', 'b/'],
  ['gpg.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.x509.program', 'false'],
  // A key is not recognised by its shape in another encoding.
  ['i18n.logOutputEncoding', 'UTF-8'],
  ['log.diffMerges', 'separate'],
  ['log.showSignature', 'false'],
  // Names of persons would be taken from files that lie anywhere.
  ['mailmap.blob', ''],
  ['mailmap.file', ''],
  ['protocol.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
]

/** Variables that make a shell or a listed program run or read something that the line does not say. */
const removed =
  /^(?:GIT_.*|BASH_ENV|BASH_FUNC_.*|BASHOPTS|SHELLOPTS|ENV|CDPATH|GLOBIGNORE|PS4|PROMPT_COMMAND|POSIXLY_CORRECT|RIPGREP_CONFIG_PATH|GREP_.*|LESSOPEN|LESSCLOSE|AWKPATH|AWKLIBPATH|NODE_OPTIONS|npm_.*|LD_.*|DYLD_.*|PWD|OLDPWD)$/i

/**
 * Returns the environment for a line that only reads, made from the user's own.
 *
 * To be run as `bash --noprofile --norc -c LINE`, standard input closed, in the folder's real path, with a
 * limit on time and output. Shape: the configuration is the folder's, so that each configured filter can be
 * emptied, also one whose name `-c` cannot carry, since git takes these settings from variables.
 */
export function readOnlyEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  configuration: GitConfiguration,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || removed.test(name)) continue
    // Windows calls it Path.
    kept[name] = name.toUpperCase() === 'PATH' ? absolutePath(value) : value
  }
  const settings = [...gitSettings, ...emptiedPrograms(configuration)]
  settings.forEach(([key, value], index) => {
    kept[`GIT_CONFIG_KEY_${index}`] = key
    kept[`GIT_CONFIG_VALUE_${index}`] = value
  })
  return {
    ...kept,
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    LESSSECURE: '1',
  }
}

/** Removes relative and empty entries, with which programs in the folder that is read would be found. */
function absolutePath(path: string): string {
  const isWindows = /^"?[A-Za-z]:[\\/]/.test(path)
  const delimiter = isWindows ? ';' : ':'
  const absolute = isWindows ? /^"?[A-Za-z]:[\\/]/ : /^\//
  return path
    .split(delimiter)
    .filter((entry) => absolute.test(entry))
    .join(delimiter)
}

function emptiedPrograms(configuration: GitConfiguration): [string, string][] {
  const emptied: [string, string][] = []
  for (const key of configuration.keys()) {
    if (/^filter\..*\.(?:clean|smudge|process)$/is.test(key)) emptied.push([key, ''])
    if (/^filter\..*\.required$/is.test(key)) emptied.push([key, 'false'])
    if (/^diff\..*\.textconv$/is.test(key)) emptied.push([key, 'cat'])
    if (/^merge\..*\.driver$/is.test(key)) emptied.push([key, 'false'])
  }
  return emptied
}

const configured = ' --no-pager -c core.fsmonitor=false -c log.showSignature=false'
/** For `check-ignore`, which takes only paths and refuses to run where patterns are switched off. */
const patternless = ' --no-literal-pathspecs'

const diffing = new Set(['log', 'show'])

/** Inserts options after each `git` of a line that keep it from running configured programs. */
export function hardenedLine(source: string, { gitCommands }: LineReads): string {
  const insertions = gitCommands.flatMap(({ name, subcommand, hasOperands }) => [
    { at: name.to, text: subcommand?.raw === 'check-ignore' ? configured + patternless : configured },
    ...(subcommand === null
      ? []
      : [{ at: subcommand.to, text: subcommandOptions(subcommand.raw, hasOperands) }]),
  ])
  return insertions
    .sort((a, b) => b.at - a.at)
    .reduce((line, { at, text }) => line.slice(0, at) + text + line.slice(at), source)
}

/** Returns the arguments of a git command, hardened in the same way, with `more` options after the subcommand. */
export function hardenedWords(
  { words, subcommand, hasOperands }: GitCommand,
  more: readonly string[],
): string[] {
  const given = words.map(({ value }) => value ?? '')
  if (subcommand === null) return given.slice(1)
  const at = words.indexOf(subcommand) + 1
  const own = subcommandOptions(subcommand.raw, hasOperands).split(' ')
  const set = [...configured.split(' '), ...given.slice(1, at), ...own, ...more].filter((word) => word !== '')
  return [...set, ...given.slice(at)]
}

function subcommandOptions(name: string, hasOperands: boolean): string {
  // Without a revision `shortlog` would read the standard input, which is empty.
  if (name === 'shortlog' && !hasOperands) return ' HEAD'
  if (name === 'diff') return ' --no-ext-diff --no-textconv --ignore-submodules=all'
  if (name === 'status') return ' --ignore-submodules=all'
  if (name === 'blame' || name === 'grep') return ' --no-textconv'
  return diffing.has(name) ? ' --no-ext-diff --no-textconv --ignore-submodules=all' : ''
}

/** A folder's effective git configuration. Shape: section and variable in lower case, the last value wins. */
export type GitConfiguration = ReadonlyMap<string, string>

/** The command whose output `readGitConfiguration` reads; it runs nothing. */
export const gitConfigurationCommand = ['git', 'config', '--list', '--includes', '--null'] as const

/** Reads the output of `gitConfigurationCommand`. Source: git-config(1), `--null`. */
export function readGitConfiguration(output: string): GitConfiguration {
  const entries = output.split('\0').filter((entry) => entry !== '')
  const values = entries.map((entry): [string, string] => {
    const newlineAt = entry.indexOf('\n')
    // A key without a value is true.
    return newlineAt < 0 ? [entry, 'true'] : [entry.slice(0, newlineAt), entry.slice(newlineAt + 1)]
  })
  return new Map(values)
}

const proofKey = 'tsugi.proof'

/**
 * Returns the environment for `gitConfigurationCommand`. Its one setting is `proof`, a text that the folder cannot
 * know: a git that lists it takes settings from the environment, and so obeys `readOnlyEnvironment`.
 */
export function configurationEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  proof: string,
): Record<string, string> {
  const own = Object.entries(readOnlyEnvironment(environment, new Map()))
  return {
    ...Object.fromEntries(own.filter(([name]) => !name.startsWith('GIT_CONFIG_'))),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: proofKey,
    GIT_CONFIG_VALUE_0: proof,
  }
}

/** Returns the listed configuration without `proof`; null where it is missing, as with every git before 2.31. */
export function provenConfiguration(output: string, proof: string): GitConfiguration | null {
  const configuration = new Map(readGitConfiguration(output))
  const isProven = configuration.get(proofKey) === proof
  configuration.delete(proofKey)
  return isProven ? configuration : null
}

const switches = new Set(['', 'true', 'false', 'yes', 'no', 'on', 'off', '1', '0'])
/** Subcommands that compare the work tree, and run its filters and its monitor. */
const workTreeReaders = new Set(['diff', 'status', 'blame', 'ls-files'])
const monitored = new Set(['status'])

/** Refuses git where this configuration makes it run a program, or where the configuration of its folder is unknown. */
export function configurationRefusal(
  { gitCommands }: LineReads,
  configuration: GitConfiguration,
): Refusal | null {
  const refused = gitCommands.find((command) => isRefused(command, configuration))
  return refused === undefined
    ? null
    : { reason: 'git-configuration', about: `git ${refused.subcommand?.raw ?? ''}` }
}

function isRefused({ subcommand, isElsewhere }: GitCommand, configuration: GitConfiguration): boolean {
  const name = subcommand?.raw ?? ''
  if (isElsewhere && workTreeReaders.has(name)) return true
  if (name === 'diff') return (configuration.get('diff.external') ?? '') !== ''
  const monitor = configuration.get('core.fsmonitor') ?? ''
  return monitored.has(name) && !switches.has(monitor.toLowerCase())
}
