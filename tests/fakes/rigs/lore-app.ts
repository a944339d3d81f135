import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { DraftPreview } from '../../../src/shared/domain/drafting/draft-preview.ts'
import type { DraftSettings } from '../../../src/shared/domain/drafting/draft-settings.ts'
import type { RunFigures } from '../../../src/shared/domain/drafting/run.ts'
import { tempFolder } from '../disks/temp-folder.ts'
import { createFakeLlamaServer, type FakeLlamaServer } from '../servers/fake-llama-server.ts'
import type { AskedRequest } from '../servers/llama/answer.ts'
import { servedModel } from '../servers/session-llama.ts'
import { openTestApp, type TestApp } from '../sessions/session-host.ts'

/** A whole app with one open novel, `001.txt` being written. */
export type LoreApp = {
  api: TestApp['app']['api']
  context: { signal: AbortSignal }
  workId: string
  root: string
  preview(): Promise<DraftPreview>
  /** One run to its end, accepted or not; the text is appended by the test itself. */
  draft(options: { isAccepted: boolean }): Promise<RunFigures>
  append(text: string): Promise<void>
  close(): Promise<void>
}

const path = '001.txt'

/**
 * Opens a folder of `files` with a llama.cpp server, a KoboldCpp server, or the embedded engine. Shape: `home` is an
 * empty folder.
 */
export async function openLoreApp(
  home: string,
  model: string | { kobold: string } | { file: string; contextTokens: number },
  files: Record<string, string>,
  drafting: Partial<DraftSettings> = {},
): Promise<LoreApp> {
  const root = join(home, 'work')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const { app } = await openTestApp({ dataDir: join(home, 'data'), language: 'ja' })
  const stop = new AbortController()
  const context = { signal: stop.signal }
  const { api } = app
  if (typeof model === 'string') await api['model.use'](servedModel(model), context)
  else if ('kobold' in model) await api['model.use']({ backend: 'koboldcpp', address: model.kobold }, context)
  else await chooseEngine(api, model, context)
  const settings = { outputTokensGenerate: 32, ...drafting }
  await api['settings.update']({ patch: { drafting: settings } }, context)
  const { workId } = await api['work.open']({ path: root }, context)
  const events = api['document.watch']({ workId, path }, context)[Symbol.asyncIterator]()
  const { value } = await events.next()
  if (value?.kind !== 'snapshot') throw new Error('the watch began without a snapshot')
  let { version } = value.snapshot
  let length = value.snapshot.text.length
  const { documentId } = value.snapshot
  void (async () => {
    while (!(await events.next()).done);
  })()
  const request = { workId, path, mode: 'generate', ideaTarget: 'all' } as const
  return {
    api,
    context,
    workId,
    root,
    preview: () => api['draft.preview'](request, context),
    async draft({ isAccepted }) {
      const { run } = await api['draft.start']({ ...request, isEstimateAccepted: false, seed: 1 }, context)
      let { figures } = run
      for await (const event of api['run.watch']({ runId: run.runId }, context)) {
        if (event.type === 'snapshot') figures = event.run.figures
        if (event.type === 'figures') figures = event.figures
        const ended = event.type === 'ended' ? event : event.type === 'snapshot' ? event.run : undefined
        if (ended === undefined || ended.state === 'running') continue
        if (ended.state !== 'finished') throw new Error(JSON.stringify(ended.error))
        break
      }
      if (isAccepted)
        await api['take.update']({ takeId: run.takeId, state: 'inserted', acceptedLength: 1 }, context)
      return figures
    },
    async append(text) {
      const changes = [[length, [0, ...text.split('\n')] as [number, ...string[]]]]
      const change = { documentId, clientId: 'test', baseVersion: version, changes }
      version = (await api['document.change'](change, context)).version
      length += text.length
    },
    async close() {
      stop.abort()
      await app.close()
    },
  }
}

/**
 * Opens a novel with a llama.cpp server that says these texts; both are closed at the end of the test.
 *
 * Shape: `asked` are the requests to the model, in order.
 */
export async function openScriptedNovel(
  files: Record<string, string>,
  options: {
    say?: (request: AskedRequest) => string
    contextTokens?: number
    home?: string
    drafting?: Partial<DraftSettings>
  } = {},
): Promise<LoreApp & { server: FakeLlamaServer; asked: AskedRequest[] }> {
  const { say = () => '続き。', contextTokens = 4096, home = tempFolder(), drafting } = options
  const asked: AskedRequest[] = []
  const server = await createFakeLlamaServer({
    answer: (request) => {
      asked.push(request)
      return { text: say(request) }
    },
    contextTokens,
    slots: 1,
  })
  onTestFinished(() => server.close())
  const novel = await openLoreApp(home, server.address, files, drafting)
  onTestFinished(novel.close)
  return { ...novel, server, asked }
}

async function chooseEngine(
  api: TestApp['app']['api'],
  { file, contextTokens }: { file: string; contextTokens: number },
  context: LoreApp['context'],
): Promise<void> {
  const { profile } = await api['model.use']({ backend: 'embedded', file }, context)
  if (profile.backend !== 'embedded') throw new Error('not the embedded engine')
  await api['profile.save']({ profile: { ...profile, contextTokens } }, context)
  await api['profile.select']({ profileId: profile.id, role: 'main' }, context)
}
