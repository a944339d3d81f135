import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/**
 * Runs a child in our place: in the same terminal, with our end signals passed on, and its exit code as ours.
 *
 * Shape: resolves with `{ code, seconds }`; a death by signal counts as 128 + its number, as in shells.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function runInForeground(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const startedAt = Date.now()
    const child = spawn(command, args, { stdio: 'inherit', ...options })
    const handlers = stopSignals.map((signal) => [signal, createHandler(child, signal)])
    for (const [signal, handler] of handlers) process.on(signal, handler)
    const parentWatch = watchParent(() => child.kill('SIGTERM'))
    const finish = () => {
      clearInterval(parentWatch)
      for (const [signal, handler] of handlers) process.off(signal, handler)
    }
    child.on('error', (error) => {
      finish()
      reject(error)
    })
    child.on('close', (code, signal) => {
      finish()
      const byte = signal === null ? code : 128 + constants.signals[signal]
      resolve({ code: byte ?? 1, seconds: (Date.now() - startedAt) / 1000 })
    })
  })
}

const stopSignals = process.platform === 'win32' ? ['SIGINT'] : ['SIGINT', 'SIGTERM', 'SIGHUP']

const parentAtStart = process.ppid

/**
 * Calls `onLost` when the parent is gone. npm puts a shell between itself and a script; when npm is stopped, that shell
 * dies without a signal to us. Without npm, losing the parent does not mean to stop: that is how `nohup` works.
 */
function watchParent(onLost) {
  if (process.env.npm_lifecycle_event === undefined) return undefined
  const timer = setInterval(() => {
    if (process.ppid === parentAtStart) return
    clearInterval(timer)
    onLost()
  }, 500)
  return timer.unref()
}

/** A terminal sends Ctrl-C to its whole foreground group: passing it on there would count it twice. */
function createHandler(child, signal) {
  let times = 0
  return () => {
    times += 1
    if (times > 2) child.kill('SIGKILL')
    else if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
}

/**
 * Runs a child without showing its output, and keeps it.
 *
 * Shape: `{ code, output }`; `code` is null where it could not be started at all.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function runQuietly(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (chunk) => {
      output += chunk
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => resolve({ code: null, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
