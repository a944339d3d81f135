import { homedir } from 'node:os'
import { join } from 'node:path'
import { type FileKinds, isAskedAnywhere } from './gates/risk/file-kinds.ts'
import { secretsIn } from './gates/risk/secret-places.ts'
import type { TrustService } from './gates/trust-service.ts'
import { createCommandSandbox, storedSandboxState } from './sandbox/command-sandbox.ts'
import { createSandbox } from './sandbox/linux-sandbox.ts'
import type { SessionPartsInput } from './session-parts.ts'
import { hasOpenGate } from './sessions/session-view.ts'
import { createCommandRunner } from './tools/commands/create-command-runner.ts'
import { readSecretVariables } from './tools/commands/environment/clean-environment.ts'
import { programsOutside } from './tools/commands/environment/program-path.ts'
import { createGitReader } from './tools/commands/git-reader.ts'
import { createLoginEnvironment } from './tools/commands/login-environment.ts'
import type { ShellCheck } from './tools/shell/create-shell-check.ts'

type CommandPartsInput = Pick<SessionPartsInput, 'deps' | 'disk' | 'store' | 'notify'> & {
  shellCheck: ShellCheck
  kinds: FileKinds
  trust: TrustService
  secretFilesIn(root: string): (path: string) => Promise<boolean>
}

/** Creates what runs commands, with their environment and their sandbox. Ends what a killed host left running. */
export async function createCommandParts(input: CommandPartsInput) {
  const { deps, disk, store, shellCheck, kinds, trust } = input
  const { resourcesDir } = deps
  const isSecret = await readSecretVariables(resourcesDir)
  const loginEnvironment = createLoginEnvironment({
    ...deps,
    rules: { appDir: join(resourcesDir, '..'), isSecret },
    own: process.env,
  })
  const environment = async () => (await loginEnvironment()).variables
  const environmentOutside = async (folders: readonly string[]) =>
    programsOutside(await environment(), folders)
  const commands = createCommandRunner({ ...deps, loginEnvironment, shellCheck })
  await commands.endLeftovers()
  const dataDir = await disk.realPath(deps.dataDir)
  const { kept, passed } = storedSandboxState(store.settings)
  const sandbox = createCommandSandbox({
    ...deps,
    disk,
    dataDir,
    sandbox: createSandbox({ ...deps, disk, dataDir, home: homedir(), path: process.env.PATH ?? '', passed }),
    kept,
    environment,
    safeEnvironment: (root) => environmentOutside([root]),
    secretsIn: (root) => secretsIn(disk, kinds, root),
    isAsked: (path) => isAskedAnywhere(kinds, path),
    hasOpenGate: (sessionId, callId) => hasOpenGate(store.sessions, sessionId, callId),
  })
  await sandbox.start(input.notify, passed.get() !== null)
  const git = createGitReader({
    shellCheck,
    environmentOutside,
    isTrusted: (root) => trust.get(root).isTrusted,
    isSecret: kinds.isSecret,
    secretFiles: input.secretFilesIn,
  })
  return { loginEnvironment, environment, commands, sandbox, git }
}
