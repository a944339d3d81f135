import { resolve } from 'node:path'
import type { DocumentService } from '../../../src/main/documents/document-service.ts'
import { readGateData } from '../../../src/main/gates/gate-data.ts'
import { isAskedAnywhere } from '../../../src/main/gates/risk/file-kinds.ts'
import { secretsIn } from '../../../src/main/gates/risk/secret-places.ts'
import { systemClock } from '../../../src/main/platform/clock.ts'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { createCommandSandbox, storedSandboxState } from '../../../src/main/sandbox/command-sandbox.ts'
import { createFolderCommands } from '../../../src/main/sandbox/folder-commands.ts'
import { createSandbox } from '../../../src/main/sandbox/linux-sandbox.ts'
import { hasOpenGate } from '../../../src/main/sessions/session-view.ts'
import type { SettingRepository } from '../../../src/main/store/app/setting-repository.ts'
import { createCommandRunner } from '../../../src/main/tools/commands/create-command-runner.ts'
import { createShellCheck } from '../../../src/main/tools/shell/create-shell-check.ts'
import type { ApplyStep } from '../../../src/main/workspace/apply-change-set.ts'
import type { WorkspaceCommands } from '../../../src/main/workspace/workspace-operations.ts'
import { createWritableFolder } from '../../../src/main/workspace/writable-folder.ts'
import { changeSetRig } from '../rigs/change-set-rig.ts'
import { silentLog } from '../silent-log.ts'

const resourcesDir = resolve(import.meta.dirname, '../../../resources')
const nothing = async (): Promise<void> => undefined
const readParts = () => Promise.all([readGateData(resourcesDir), createShellCheck(resourcesDir)])
/** What a host reads from its resources; read once in a process, since a test starts dozens of hosts. */
let parts: ReturnType<typeof readParts> | undefined

/** The parts of a host that run commands in copies, over a real store; no document is open. */
export type CommandChangesHost = {
  /** Change sets that were finished at the start. */
  recovered: number
  commandsIn(root: string): WorkspaceCommands
  /** Runs that are asked about, and those whose moves of ignored files are committed and not finished. */
  pendingRuns(): { asked: string[]; moves: string[] }
  close(): Promise<void>
}

/**
 * Starts the parts in the order of a host's start. `onEnded` is called when a command has ended; `aroundSetting` before
 * and after each write of a setting.
 */
export async function commandChangesHost(
  dataDir: string,
  hooks: {
    onStep?: (step: ApplyStep) => void
    onEnded?: () => void
    aroundSetting?: (name: string) => void
  } = {},
): Promise<CommandChangesHost> {
  const { onStep, onEnded, aroundSetting } = hooks
  const { changeSets, store } = changeSetRig(dataDir, onStep === undefined ? {} : { onStep })
  const recovered = await changeSets.recover()
  const { PATH = '', HOME = '' } = process.env
  const loginEnvironment = async () => ({ variables: { PATH, HOME }, source: 'login' as const })
  const deps = { clock: systemClock, random: systemRandom, log: silentLog, dataDir, disk: nodeDisk }
  parts ??= readParts()
  const [{ kinds }, shellCheck] = await parts
  const runner = createCommandRunner({ ...deps, hostId: systemRandom.id(), shellCheck, loginEnvironment })
  await runner.endLeftovers()
  const settings: SettingRepository = {
    ...store.settings,
    set(key, value) {
      aroundSetting?.(`before ${key}`)
      store.settings.set(key, value)
      aroundSetting?.(`after ${key}`)
    },
  }
  const { kept, passed } = storedSandboxState(settings)
  const environment = async () => ({ PATH, HOME })
  const sandbox = createCommandSandbox({
    ...deps,
    sandbox: createSandbox({ ...deps, home: HOME, path: PATH, passed }),
    kept,
    environment,
    safeEnvironment: environment,
    secretsIn: (root) => secretsIn(nodeDisk, kinds, root),
    isAsked: (path) => isAskedAnywhere(kinds, path),
    hasOpenGate: (sessionId, callId) => hasOpenGate(store.sessions, sessionId, callId),
  })
  await sandbox.start(() => undefined, passed.get() !== null)
  const documents = {
    flush: nothing,
    beginChange: () => () => undefined,
    fileChanged: nothing,
    fileRemoved: nothing,
    fileMoved: () => undefined,
  } as unknown as DocumentService
  const commandsIn = createFolderCommands({
    commands: {
      ...runner,
      async run(run, runHooks) {
        const result = await runner.run(run, runHooks)
        onEnded?.()
        return result
      },
    },
    sandbox,
    writableFolder: (root, added) =>
      createWritableFolder({ disk: nodeDisk, documents, changeSets, root, added }),
    noteChange: () => undefined,
  })
  return {
    recovered: recovered.length,
    commandsIn: (root) => commandsIn(root, { id: 'session', folders: () => [root] }),
    pendingRuns: () => ({
      asked: Object.keys(store.settings.get('sandbox-asked') ?? {}),
      moves: Object.keys(store.settings.get('sandbox-moves') ?? {}),
    }),
    async close() {
      await runner.dispose()
      store.close()
    },
  }
}
