import { keepConnected } from '../../../src/renderer/api/keep-connected.ts'
import type { Connection, ConnectionState } from '../../../src/renderer/state/connection.ts'
import { type Api, contract } from '../../../src/shared/contract/index.ts'
import { serve } from '../../../src/shared/rpc/serve.ts'
import { memoryPorts } from '../memory-ports.ts'
import { createFakeApi } from './fake-api.ts'
import type { FakeHost } from './fake-host.ts'

export type FakeConnection = Connection & {
  /** Loses the connection; it comes back by itself, or at `retry`. */
  drop(): void
  state(): ConnectionState
}

/** A window's connection to a fake host: the real client, the real dispatcher, frames through memory. */
export function connectToFakeHost(host: FakeHost): FakeConnection {
  const api = recorded(createFakeApi(host), host)
  let drop: (() => void) | undefined
  const connection = keepConnected(contract, {
    firstDelayMs: 5,
    open: async () => {
      // A browser's own queueMicrotask must not be called as a method.
      const deliver = (job: () => void) => queueMicrotask(job)
      const ports = memoryPorts({ toClient: deliver, toHost: deliver })
      const served = serve(ports.host, contract, api, { log, isOutputChecked: true })
      drop = () => {
        served.dispose()
        ports.client.close()
      }
      return ports.client
    },
  })
  return { ...connection, drop: () => drop?.() }
}

function recorded(api: Api, host: FakeHost): Api {
  type AnyMethod = (input: never, context: never) => unknown
  const entries = Object.entries(api).map(([method, run]) => [
    method,
    (input: never, context: never) => {
      host.calls.push({ method, input })
      return (run as AnyMethod)(input, context)
    },
  ])
  return Object.fromEntries(entries) as Api
}

const log = {
  write: () => undefined,
  bug(error: unknown, where: string): string {
    throw new Error(`bug in ${where}`, { cause: error })
  },
}
