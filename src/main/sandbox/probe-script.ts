/** Targets of a trial of the sandbox. Shape: absolute paths; `ports` are pairs of address and port. */
export type TrialTargets = {
  /** A file in the project that must be writable. */
  inside: string
  /** Places that must not be writable, even where they are visible. */
  outside: string[]
  /** Files whose content, `planted`, must not be seen. */
  secrets: string[]
  ports: [host: string, port: number][]
  sockets: string[]
}

/** The abilities of the trial's process. Shape: outside of the sandbox all of them are true. */
export type TrialFinding = {
  wroteInside: boolean
  readSecret: boolean
  unmounted: boolean
  reached: boolean
  connected: boolean
}

/**
 * Script of the trial for Node: `process.env.TRIAL` is JSON of `TrialTargets`, the last line of its output is JSON of
 * `TrialFinding`. The host itself looks for files that were written outside.
 */
export const trialScript = String.raw`
const fs = require('node:fs'), net = require('node:net'), { spawnSync } = require('node:child_process')
const at = JSON.parse(process.env.TRIAL)
const could = (work) => { try { work(); return true } catch { return false } }
const connects = (target) => new Promise((done) => {
  const socket = net.connect(target)
  const end = (answer) => { socket.destroy(); done(answer) }
  socket.once('connect', () => end(true)); socket.once('error', () => end(false))
  setTimeout(() => end(false), 500)
})
const any = async (list, work) => (await Promise.all(list.map(work))).some(Boolean)
const sees = (script, path) =>
  String(spawnSync('/bin/sh', ['-c', script, 'x', path], { timeout: 3000 }).stdout ?? '').includes('planted')
;(async () => {
  const wroteInside = could(() => fs.writeFileSync(at.inside, 'changed'))
  for (const path of at.outside) could(() => fs.writeFileSync(path, 'trial'))
  const found = {
    wroteInside,
    readSecret: await any(at.secrets, async (path) => could(() => fs.readFileSync(path))),
    unmounted: at.secrets.some((path) =>
      sees('umount "$1" 2>/dev/null; cat "$1" 2>/dev/null', path) ||
      sees('unshare -Urm sh -c \'umount -l "$1"; cat "$1"\' x "$1" 2>/dev/null', path)),
    reached: await any(at.ports, ([host, port]) => connects({ host, port })),
    connected: await any(at.sockets, (path) => connects({ path })),
  }
  process.stdout.write('\n' + JSON.stringify(found) + '\n')
})()
`
