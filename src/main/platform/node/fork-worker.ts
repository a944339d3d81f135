import type { ChildProcess } from 'node:child_process'
import type { SpawnWorker, WorkerEntry } from '../../deps.ts'
import { lateNode } from './late-node.ts'
import { portOver } from './process-port.ts'

/** Children that are killed at this host's end: one that is busy in native code does not notice a closed channel. */
const alive = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/**
 * Starts workers as plain Node children of this process.
 *
 * Shape: `entries` are absolute paths: built `.js`, or the `.ts` source where this Node reads it.
 */
export function forkWorkers(entries: { engine: string } & Partial<Record<WorkerEntry, string>>): SpawnWorker {
  return (entry, { env }) => {
    const path = entries[entry]
    if (path === undefined) throw new Error(`no worker ${entry}`)
    const child = lateNode.childProcess().fork(path, [], {
      env: { ...process.env, ...env },
      // The child does not inherit this process's Node options.
      execArgv: [],
      serialization: 'json',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    alive.add(child)
    child.once('exit', () => alive.delete(child))
    const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
      child.once('error', () => resolve({ code: null, signal: null }))
    })
    const port = portOver({
      post: (message) => child.connected && child.send(message as object, () => undefined),
      onMessage: (listener) => child.on('message', listener),
      onGone: (listener) => {
        child.once('disconnect', listener)
        child.once('error', listener)
      },
      close: () => child.connected && child.disconnect(),
    })
    return { port, exited, kill: () => void child.kill('SIGKILL'), pid: child.pid }
  }
}
