import { onTestFinished } from 'vitest'
import { controlStringsOf } from '../../../../src/main/models/completion/break-control-strings.ts'
import { RequestQueue } from '../../../../src/main/models/completion/request-queue.ts'
import {
  createOpenaiClient,
  type OpenaiClient,
  type OpenaiClientOptions,
} from '../../../../src/main/models/openai/openai-client.ts'
import { systemClock } from '../../../../src/main/platform/clock.ts'
import { patientTimeouts } from '../../patient-timeouts.ts'

type Surroundings = Parameters<typeof createOpenaiClient>[0]

/** Creates a client for a server of OpenAI's API that a test runs; both are closed at the end of the test. */
export function openaiClientOf(
  server: { address: string; close(): Promise<void> },
  {
    clock = systemClock,
    queue = new RequestQueue(),
    ...options
  }: Partial<Surroundings & OpenaiClientOptions>,
): OpenaiClient {
  const client = createOpenaiClient(
    { clock, queue },
    {
      address: server.address,
      model: 'm',
      flavour: 'other',
      key: async () => undefined,
      contextTokens: undefined,
      canCallTools: undefined,
      controls: controlStringsOf([]),
      timeouts: patientTimeouts,
      ...options,
    },
  )
  onTestFinished(async () => {
    await client.dispose()
    await server.close()
  })
  return client
}
