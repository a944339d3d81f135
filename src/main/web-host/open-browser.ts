import { lateNode } from '../platform/node/late-node.ts'

/** Hands `address` to the user's browser, where there is a desktop; what the browser does is its own affair. */
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
  // Without such a program the printed address is all there is; it stands in the terminal already.
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
