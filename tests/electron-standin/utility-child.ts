/** Runs first in a utility process: Node's channel to the parent becomes `process.parentPort`. */
import { EventEmitter } from 'node:events'

const parentPort = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void process.send?.(message),
})

// What comes before anybody listens waits, as it does on a MessagePort that was not started.
parentPort.on('newListener', (event: string) => {
  if (event !== 'message' || parentPort.listenerCount('message') > 0) return
  queueMicrotask(() => process.on('message', (data) => parentPort.emit('message', { data, ports: [] })))
})
process.once('disconnect', () => process.exit(0))

Object.defineProperty(process, 'parentPort', { value: parentPort })
Object.defineProperty(process, 'type', { value: 'utility' })
