import { lateNode } from '../platform/node/late-node.ts'

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
