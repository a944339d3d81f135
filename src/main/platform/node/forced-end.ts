import type { Log } from '../../deps.ts'
import { lateNode } from './late-node.ts'

/**
 * `orderlyMs` is the time limit of an orderly end: unsaved text is in the data folder by then, and offered at the next
 * start. After `lastMs` the process is killed even if its event loop is blocked.
 */
const usual = { orderlyMs: 2_500, lastMs: 2_800 }

/** Waits and kills the process, in a thread with an event loop of its own. */
const watchdog = (lastMs: number): string =>
  `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${lastMs})`

/**
 * Ends this process after a delay even if something hangs: a file system that does not answer, a child, a command, or
 * the event loop itself, which may have tens of thousands of streams to close.
 *
 * `process.exit` would wait for threads that are blocked in the file system, so that the process kills itself. What
 * has to be done on every exit (ending children and commands) is done before, where the event loop lets it.
 * The timer does not keep a process alive that would end earlier.
 */
export function forceEnd(log: Pick<Log, 'write'>, { orderlyMs, lastMs } = usual): void {
  const timer = setTimeout(() => {
    log.write('error', 'host.end-forced', { afterMs: orderlyMs })
    process.emit('exit', 1)
    process.kill(process.pid, 'SIGKILL')
  }, orderlyMs)
  timer.unref()
  try {
    const thread = new (lateNode.workerThreads().Worker)(watchdog(lastMs), { eval: true })
    thread.on('error', (error) => log.write('error', 'host.no-watchdog', { reason: error.message }))
    thread.unref()
  } catch (error) {
    // Without memory for a thread the timer alone enforces the deadline.
    log.write('error', 'host.no-watchdog', { reason: String(error) })
  }
}
