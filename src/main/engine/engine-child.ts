/**
 * The embedded engine's own process: loads llama.cpp and answers the engine contract on the channel to its parent.
 *
 * Shape: started by `fork` or Electron's `utilityProcess`; ends when the parent is gone.
 */

import { electronParentPort, openParent } from '../platform/node/process-port.ts'
import { forkBinaryTestsThrough } from './binary-test-fork.ts'
import { LlamaEngine, serveEngine } from './llama-engine.ts'

const electronPort = electronParentPort()
if (electronPort !== undefined) forkBinaryTestsThrough(electronPort)
const { port, log } = openParent('engine')
serveEngine(port, new LlamaEngine(log), log)
