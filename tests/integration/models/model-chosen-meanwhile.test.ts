import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { openLoreApp } from '../../fakes/rigs/lore-app.ts'
import { createFakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'

const path = '001.txt'

it.each([
  ['counts', '/tokenize'],
  ['reads', '/completion'],
])('a draft says that another model was chosen while a hung server %s', async (_, hung) => {
  const server = await createFakeLlamaServer({ contextTokens: 16_384 })
  onTestFinished(() => server.close())
  const app = await openLoreApp(tempFolder(), server.address, { [path]: '　雨が降り始めた。\n' })
  onTestFinished(() => app.close())
  const { api, context, workId } = app
  server.options.fault = (asked) => (asked.path === hung ? 'never-answers' : undefined)
  const request = { workId, path, mode: 'generate', ideaTarget: 'all', isEstimateAccepted: false } as const
  const { run } = await api['draft.start'](request, context)
  await eventually(() => expect(server.requests.some((asked) => asked.path === hung)).toBe(true))
  await api['model.use']({ backend: 'demo', language: 'ja' }, context)
  await eventually(async () => {
    const { runs } = await api['run.list']({ workId }, context)
    expect(runs.find(({ runId }) => runId === run.runId)).toMatchObject({
      state: 'stopped',
      stopReason: 'replaced',
      error: null,
    })
  })
})
