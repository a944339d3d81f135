import type { Log } from '../../deps.ts'

/** How long an orderly end may take. What is not on disk by then is in the data folder and offered at the next start. */
const orderlyMs = 2_500

/**
 * Ends this process a while from now, whatever hangs then: a file system that does not answer, a child, a command.
 *
 * `process.exit` would wait for threads that are blocked in the file system, so that the process kills itself. What
 * has to be done on every exit (ending children and commands) is done before.
 * Shape: a process that ends by itself earlier is not kept.
 */
export function forceEnd(log: Pick<Log, 'write'>, kill = () => process.kill(process.pid, 'SIGKILL')): void {
  const timer = setTimeout(() => {
    log.write('error', 'host.end-forced', { afterMs: orderlyMs })
    process.emit('exit', 1)
    kill()
  }, orderlyMs)
  timer.unref()
}
