/**
 * The embedded engine's own process: loads llama.cpp and answers the engine contract on the channel to its parent.
 *
 * Shape: started by `fork` or Electron's `utilityProcess`; ends when the parent is gone.
 */
import { forkBinaryTestsThrough } from './binary-test-fork.ts'
import { LlamaEngine, serveEngine } from './llama-engine.ts'
import { electronParentPort, parentPort } from './process-port.ts'

const electronPort = electronParentPort()
if (electronPort !== undefined) forkBinaryTestsThrough(electronPort)
const engine = new LlamaEngine({ write })
const port = parentPort()
port.onClose(() => process.exit(0))
// A terminal sends these to all its processes. The parent ends this process in an orderly way, after saving.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)

serveEngine(port, engine, { write, bug })

/** Standard error is the host's log for this process; it never holds prompt text. */
function write(level: string, event: string, data: Record<string, unknown> = {}): void {
  process.stderr.write(`${JSON.stringify({ level, event, ...data })}\n`)
}

function bug(error: unknown, where: string): string {
  const logId = `engine-${process.pid}-${Math.round(performance.now())}`
  write('error', 'engine.bug', { where, logId, error: error instanceof Error ? error.stack : String(error) })
  return logId
}
