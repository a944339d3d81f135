import { dirname, isAbsolute } from 'node:path'
import type { Shell } from '../deps.ts'
import { lateNode } from '../platform/node/late-node.ts'
import { createFileSecrets } from './file-secrets.ts'

/** Starts a program of the desktop; returns false where it is missing or fails. */
type RunProgram = (program: string, args: readonly string[]) => Promise<boolean>

export type WebShellOptions = {
  dataDir: string
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  /** The browser is on this machine, so that the user sees a file manager that is opened here. */
  isLoopback: boolean
  run?: RunProgram
}

/** Creates the operations of the desktop that the web host offers to services. */
export function createWebShell(options: WebShellOptions): Shell {
  const { dataDir, env, platform, isLoopback, run = runProgram } = options
  return {
    kind: 'web',
    async reveal(path) {
      if (!isLoopback || !isAbsolute(path)) return false
      if (platform === 'darwin') return run('open', ['-R', path])
      if (platform === 'win32') return run('explorer.exe', [`/select,${path}`])
      if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return false
      // xdg-open would open the file itself in an editor, so that only its folder can be shown.
      return run('xdg-open', [dirname(path)])
    },
    secrets: createFileSecrets(dataDir, env),
  }
}

/** Some openers stay in the foreground: one that still runs after this time counts as successful. */
const OPENER_PATIENCE_MS = 3000

const runProgram: RunProgram = (program, args) =>
  new Promise((resolve) => {
    const child = lateNode.childProcess().spawn(program, args, { stdio: 'ignore', detached: true })
    const timer = setTimeout(() => resolve(true), OPENER_PATIENCE_MS)
    const settle = (isDone: boolean) => {
      clearTimeout(timer)
      resolve(isDone)
    }
    child.once('error', () => settle(false))
    // Explorer exits with 1 after it has shown the file.
    child.once('exit', (code) => settle(code === 0 || program === 'explorer.exe'))
    child.unref()
  })

/** Opens `address` in the user's browser where there is a desktop; does not wait for the browser. */
export function openBrowser(
  address: string,
  surroundings: { platform: NodeJS.Platform; env: Readonly<Record<string, string | undefined>> } = process,
): void {
  const opener = openerOf(surroundings)
  if (opener === undefined) return
  const [command, ...args] = opener
  const child = lateNode
    .childProcess()
    .spawn(command, [...args, address], { stdio: 'ignore', detached: true })
  // Without such a program the user opens the address, which the terminal already shows.
  child.once('error', () => undefined)
  child.unref()
}

function openerOf({
  platform,
  env,
}: {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
}): [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}
