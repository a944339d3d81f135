import type { GitCommand } from './programs/git-command.ts'
import type { Refusal } from './programs/read-options.ts'
import type { LineReads } from './read-only.ts'

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
