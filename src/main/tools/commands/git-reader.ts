import { onAppError } from '../../../shared/errors.ts'
import { isInside } from '../../platform/files/real-path.ts'
import type { ShellCheck } from '../shell/create-shell-check.ts'
import type { GitCommand } from '../shell/programs/git-command.ts'
import type { GitConfiguration } from '../shell/read-only-run.ts'
import { gitConfigurationIn, type HardenedCommand, hardenCommand } from './command-start.ts'
import { gitSecrets } from './environment/git-secrets.ts'

export type GitReader = ReturnType<typeof createGitReader>

/** Reads what git is configured to do in the folders of sessions, and what it would print there. */
export function createGitReader(deps: {
  shellCheck: ShellCheck
  /** Returns the environment without programs that lie in the folders. */
  environmentOutside(folders: readonly string[]): Promise<Record<string, string>>
  isTrusted(root: string): boolean
  isSecret(path: string): boolean
  secretFiles(root: string): (path: string) => Promise<boolean>
}) {
  /** `roots` are the folders of a session, its own first. Null where git's configuration could run programs. */
  async function configuration(roots: readonly string[], folder: string): Promise<GitConfiguration | null> {
    const env = await deps.environmentOutside(roots)
    return gitConfigurationIn(folder, env).catch(onAppError(null, 'command/not-read-only'))
  }
  return {
    configuration,
    /** Returns the secrets that commands would print. Without trust no git command is run: none are found. */
    async secrets(
      roots: readonly [string, ...string[]],
      cwd: string,
      commands: readonly GitCommand[],
    ): Promise<readonly string[]> {
      const configured = await configuration(roots, cwd)
      if (configured === null || !deps.isTrusted(roots[0])) return []
      const root = roots.find((each) => isInside(each, cwd)) ?? roots[0]
      const env = await deps.environmentOutside(roots)
      const { isSecret } = deps
      const isSecretFile = deps.secretFiles(root)
      return gitSecrets({ root, cwd, env, configuration: configured, isSecret, isSecretFile }, commands)
    },
    /** Returns the command that prints the state of a folder; null where git may not be run there. */
    status: async (roots: readonly [string, ...string[]]): Promise<HardenedCommand | null> =>
      deps.isTrusted(roots[0])
        ? hardenCommand(deps.shellCheck, {
            line: 'git status --porcelain --branch',
            cwd: roots[0],
            env: await deps.environmentOutside(roots),
            isLiteral: false,
          })
        : null,
  }
}
