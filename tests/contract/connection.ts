import { connect } from '../../src/shared/rpc/connect.ts'
import type { StreamLimits } from '../../src/shared/rpc/limits.ts'
import { serve } from '../../src/shared/rpc/serve.ts'
import { sampleContract } from './sample-contract.ts'
import { createSampleService, type SampleService } from './sample-service.ts'
import type { Link, Transport } from './transports.ts'

/** Creates a log that records its entries. */
export function createTestLog() {
  const bugs: { error: unknown; where: string }[] = []
  const events: string[] = []
  return {
    bugs,
    events,
    write(_level: string, event: string) {
      events.push(event)
    },
    bug(error: unknown, where: string) {
      bugs.push({ error, where })
      return `bug-${bugs.length}`
    },
  }
}

/** The sample service behind a transport, both ends in place. */
export async function openConnection(
  transport: Transport,
  options: { limits?: Partial<StreamLimits>; service?: SampleService; link?: Link } = {},
) {
  const link = options.link ?? (await transport.open())
  const service = options.service ?? createSampleService()
  const log = createTestLog()
  const served = serve(link.host, sampleContract, service.api, {
    log,
    isOutputChecked: true,
    ...(options.limits && { limits: options.limits }),
  })
  const client = connect(link.client, sampleContract)
  return { link, service, log, served, client }
}

export type TestConnection = Awaited<ReturnType<typeof openConnection>>
