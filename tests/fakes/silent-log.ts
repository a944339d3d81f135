import type { Log } from '../../src/main/deps.ts'

export const silentLog: Log = { write: () => undefined, bug: () => 'none' }
