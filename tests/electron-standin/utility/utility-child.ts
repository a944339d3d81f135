/**
 * Runs first in a utility process: Node's channel to the parent becomes `process.parentPort`.
 *
 * As in Electron, such a process knows that it belongs to Electron and has no `utilityProcess`. In a packed app
 * Node's `fork` starts the app a second time, since the fuse `runAsNode` is off: here it throws.
 */
import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { registerHooks, syncBuiltinESMExports } from 'node:module'

const parentPort = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void process.send?.(message),
})

// Messages wait until there is a listener, as on a MessagePort that was not started.
parentPort.on('newListener', (event: string) => {
  if (event !== 'message' || parentPort.listenerCount('message') > 0) return
  queueMicrotask(() => process.on('message', (data) => parentPort.emit('message', { data, ports: [] })))
})
process.once('disconnect', () => process.exit(0))

Object.defineProperty(process, 'parentPort', { value: parentPort })
Object.defineProperty(process, 'type', { value: 'utility' })
Object.defineProperty(process.versions, 'electron', { value: '45.4.1', enumerable: true })

const electron = new URL('./utility-electron.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === 'electron'
      ? { url: electron, format: 'module-typescript', shortCircuit: true }
      : nextResolve(specifier, context),
})

if (process.env.ELECTRON_STANDIN_ARCHIVE !== undefined) {
  Object.assign(childProcess, {
    fork(file: string) {
      throw new Error(`fork of ${file} would start the packed app again: the fuse runAsNode is off.`)
    },
  })
  syncBuiltinESMExports()
}
