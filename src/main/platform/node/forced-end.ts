import type { Log } from '../../deps.ts'
import { lateNode } from './late-node.ts'

/** How long an orderly end may take. What is not on disk by then is in the data folder and offered at the next start. */
const orderlyMs = 2_500
/** When the process is gone even if its event loop stands still. */
const lastMs = 2_800

/** Waits and kills the process, in a thread with an event loop of its own. */
const watchdog = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${lastMs})`

/**
 * Ends this process a while from now, whatever hangs then: a file system that does not answer, a child, a command,
 * the event loop itself, which may have tens of thousands of streams to close.
 *
 * `process.exit` would wait for threads that are blocked in the file system, so that the process kills itself. What
 * has to be done on every exit (ending children and commands) is done before, where the event loop lets it.
 * Shape: a process that ends by itself earlier is not kept.
 */
export function forceEnd(log: Pick<Log, 'write'>, kill = () => process.kill(process.pid, 'SIGKILL')): void {
  const timer = setTimeout(() => {
    log.write('error', 'host.end-forced', { afterMs: orderlyMs })
    process.emit('exit', 1)
    kill()
  }, orderlyMs)
  timer.unref()
  try {
    const thread = new (lateNode.workerThreads().Worker)(watchdog, { eval: true })
    thread.on('error', (error) => log.write('error', 'host.no-watchdog', { reason: error.message }))
    thread.unref()
  } catch (error) {
    // Without memory for a thread the timer alone holds the deadline.
    log.write('error', 'host.no-watchdog', { reason: String(error) })
  }
}
