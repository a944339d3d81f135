import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type CompletionRequest,
  type ModelEvent,
  plainPrompt,
} from '../../../../src/main/models/client/model-client.ts'
import type { OwnApi } from '../../../../src/main/models/client/own-api.ts'
import { controlStringsOf } from '../../../../src/main/models/completion/break-control-strings.ts'
import { RequestQueue } from '../../../../src/main/models/completion/request-queue.ts'
import { ownApis } from '../../../../src/main/models/discovery/own-apis.ts'
import { systemClock } from '../../../../src/main/platform/clock.ts'
import { systemRandom as random } from '../../../../src/main/platform/random.ts'
import type { CompletionEnd, ModelUsage } from '../../../../src/shared/domain/model/model-status.ts'
import { type ErrorInfo, isAppError } from '../../../../src/shared/errors.ts'
import { patientTimeouts } from '../../patient-timeouts.ts'
import type { OwnModel, OwnServer } from '../../servers/own-server-kit.ts'
import { ownServers } from '../../servers/own-servers.ts'
import { templatePack } from '../fake-draft.ts'

type OwnRigOptions = OwnModel & { clock?: typeof systemClock; timeouts?: typeof patientTimeouts }
export type OwnRig = Awaited<ReturnType<typeof ownRig>>

const template = templatePack('chatml')
const sampler = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05, repeatPenalty: 1.05, repeatRange: 64 }
const request = {
  prompt: plainPrompt('One night.\n'),
  sampler,
  maxTokens: 24,
  stops: [],
  seed: 7,
  isEosBanned: true,
}

/** Starts a fake model server whose API is not OpenAI's, and connects the app's client to it. */
export async function ownRig(backend: keyof typeof ownApis, options: OwnRigOptions = {}) {
  return rigOf(await ownServers[backend](options), await ownApis[backend].load(), options)
}

function rigOf(
  fake: OwnServer,
  api: OwnApi,
  { clock = systemClock, timeouts = patientTimeouts }: OwnRigOptions,
) {
  const key = async () => undefined
  const settings = { id: 'own', name: 'Own', templateId: template.id, samplerPresetId: 'novel', timeouts }
  const client = api.createClient(
    { clock, random, queue: new RequestQueue(), template, controls: controlStringsOf([template]), key },
    { ...settings, ...fake.choice, hasKey: false },
  )

  /** Completes a short text, and returns it with its events and its end; `error`: what it failed with after the text. */
  async function ask(
    changes: Partial<CompletionRequest> = {},
    onEvent: (event: ModelEvent) => void = () => undefined,
    signal = new AbortController().signal,
  ) {
    const events: ModelEvent[] = []
    let text = ''
    let usage: ModelUsage | null = null
    let end: CompletionEnd | null = null
    let error: ErrorInfo | null = null
    try {
      for await (const event of client.complete({ ...request, ...changes }, signal)) {
        events.push(event)
        if (event.type === 'text') text += event.text
        if (event.type === 'replace') text = event.text
        if (event.type === 'usage') usage = event.usage
        if (event.type === 'done') end = event.stopReason
        onEvent(event)
      }
    } catch (thrown) {
      if (!isAppError(thrown)) throw thrown
      error = thrown.info
    }
    return { text, events, usage, end, error }
  }

  return {
    ...fake,
    client,
    ask,
    close: () => Promise.all([client.dispose(), fake.close()]).then(() => undefined),
  }
}

/** The same for the backend in CONTRIBUTING.md, "Add a model backend", so that its code stays true. */
export async function exampleRig(options: OwnRigOptions = {}): Promise<OwnRig> {
  const root = resolve(import.meta.dirname, '../../../..')
  const recipe =
    readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('\n## Add a model backend\n')[1] ?? ''
  const [server = '', row = ''] = recipe
    .split(/^ *```ts\n/m)
    .slice(1)
    .map((block) => block.split(/^ *```$/m)[0])
  // Below the root, where its modules are those of the test.
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache/recipe-'))
  try {
    const write = (name: string, text: string, base: string): Promise<Record<string, unknown>> => {
      const file = join(folder, name)
      const from = (_: string, path: string) => `from '${resolve(root, base, path)}'`
      writeFileSync(file, text.replaceAll(/from '(\.[^']*)'/g, from))
      return import(file)
    }
    const { harbourServer } = await write('server.ts', server, 'src/main/models/harbour')
    const kit = "import { serverEvent, startOwnServer, tokensOf } from './own-server-kit.ts'\n"
    const rows = `${kit}export const rows = {${row}}\n`
    const made = (await write('rows.ts', rows, 'tests/fakes/servers')).rows as Record<
      'harbour',
      typeof ownServers.koboldcpp
    >
    return rigOf(await made.harbour(options), harbourServer as OwnApi, options)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
