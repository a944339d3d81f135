import { appendFileSync } from 'node:fs'

/** The app's own bundle; uses by the tests or the stand-in itself do not count. */
const ownCode = '/out/main/'
const file = process.env.ELECTRON_STANDIN_TRACE
const noted = new Set<string>()

/**
 * Notes that the app used an API, once for each: a line in the file that `ELECTRON_STANDIN_TRACE` names.
 *
 * Shape: `App.quit` for a member, `App:ready` for an event that reached a listener.
 */
export function noteUse(api: string, options: { isEvent?: boolean } = {}): void {
  if (file === undefined || noted.has(api)) return
  if (!options.isEvent && !callerOf(new Error().stack ?? '').includes(ownCode)) return
  noted.add(api)
  appendFileSync(file, `${api}\n`)
}

/** Returns the frame that called the member: the first one above those of the stand-in and of a test's replacement. */
function callerOf(stack: string): string {
  const frames = stack.split('\n').slice(1)
  return frames.find((frame) => !/\/electron-standin\/(trace|documented)\.ts|<anonymous>:/.test(frame)) ?? ''
}
