/**
 * The embedded engine's own process: loads llama.cpp and answers the engine contract on the channel to its parent.
 *
 * Shape: started by `fork` or Electron's `utilityProcess`; ends when the parent is gone.
 */
import { forkBinaryTestsThrough } from './binary-test-fork.ts'
import { LlamaEngine, serveEngine } from './llama-engine.ts'
import { electronParentPort, openParent } from './process-port.ts'

const electronPort = electronParentPort()
if (electronPort !== undefined) forkBinaryTestsThrough(electronPort)
const { port, log } = openParent('engine')
serveEngine(port, new LlamaEngine(log), log)
