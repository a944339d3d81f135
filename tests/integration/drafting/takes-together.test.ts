import { describe, expect, it, onTestFinished } from 'vitest'
import type { EndlessDraft } from '../../../src/shared/domain/drafting/run.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { openLoreApp } from '../../fakes/rigs/lore-app.ts'
import { createFakeLlamaServer, type LlamaOptions } from '../../fakes/servers/fake-llama-server.ts'

const path = '001.txt'
const body = '　雨が降り始めた。彼は傘を開いた。\n'.repeat(20)

/** Three takes of a place over a llama-server with these slots; `most`: how many it ever had at once. */
async function open(options: LlamaOptions) {
  const server = await createFakeLlamaServer({ contextTokens: 16_384, tokenMs: 4, ...options })
  onTestFinished(() => server.close())
  const app = await openLoreApp(tempFolder(), server.address, { [path]: body })
  onTestFinished(() => app.close())
  const { api, context, workId } = app
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, server.pendingCount)
  }, 2)
  onTestFinished(() => clearInterval(watch))
  let shown: EndlessDraft | null = null
  void (async () => {
    for await (const { endless } of api['draft.watchEndless']({ workId }, context)) shown = endless
  })()
  const request = { workId, path, mode: 'generate', ideaTarget: 'all', isEstimateAccepted: false } as const
  return {
    server,
    app,
    most: () => most,
    shown: () => shown,
    start: () => api['draft.start']({ ...request, takes: 3 }, context),
    runs: async () => (await api['run.list']({ workId }, context)).runs,
    takes: async () =>
      (await api['take.list']({ workId, path, mode: 'generate', limit: 50 }, context)).takes.toReversed(),
    /** The bodies of the requests that wrote. */
    written: () =>
      server.requests
        .filter(({ path: asked }) => asked === '/completion')
        .map(({ body: sent }) => sent as { prompt: unknown; seed: number }),
  }
}

describe('three takes of a place', () => {
  it('are written at the same time where the server has slots, from one prompt with three seeds', async () => {
    const rig = await open({ slots: 3, contextTokens: 3 * 8192 })
    const { run } = await rig.start()
    await eventually(async () =>
      expect((await rig.runs()).filter(({ state }) => state === 'running')).toHaveLength(3),
    )
    await eventually(() => expect(rig.shown()).toMatchObject({ block: 3, total: 3, end: 'complete' }))
    expect(rig.most()).toBe(3)
    const written = rig.written()
    expect(written).toHaveLength(3)
    expect(new Set(written.map(({ prompt }) => JSON.stringify(prompt))).size).toBe(1)
    expect(new Set(written.map(({ seed }) => seed)).size).toBe(3)
    expect(new Set(rig.server.counts.generations.map(({ slot }) => slot)).size).toBe(3)
    const takes = await rig.takes()
    expect(takes.map(({ placeId }) => placeId)).toEqual([run.takeId, run.takeId, run.takeId])
    // One of them stands at the place; the others are beside it, and nothing of them is lost.
    expect(takes.map(({ state }) => state).toSorted()).toEqual(['dismissed', 'dismissed', 'pending'])
    expect(takes.every(({ text }) => text !== '')).toBe(true)
  })

  it('are written two at a time by two slots', async () => {
    const rig = await open({ slots: 2 })
    await rig.start()
    await eventually(() => expect(rig.shown()).toMatchObject({ end: 'complete' }))
    expect(rig.most()).toBe(2)
    expect(rig.written()).toHaveLength(3)
  })

  it('are written one after another by a single slot, and where slots share a cache that holds one', async () => {
    const single = await open({ slots: 1 })
    await single.start()
    await eventually(() => expect(single.shown()).toMatchObject({ block: 3, end: 'complete' }))
    expect(single.most()).toBe(1)
    expect(single.shown()?.together).toBeUndefined()
    const shared = await open({ sharesContext: true, contextTokens: 1024 })
    await shared.start()
    await eventually(() => expect(shared.shown()).toMatchObject({ block: 3, end: 'complete' }))
    expect(shared.most()).toBe(1)
    expect((await shared.takes()).map(({ stopReason }) => stopReason)).not.toContain('failed')
  })

  it('are stopped one by one: the others go on', async () => {
    const rig = await open({ slots: 3, contextTokens: 3 * 8192, tokenMs: 30 })
    await rig.start()
    await eventually(() => expect(rig.shown()?.together).toHaveLength(3))
    await eventually(async () => expect((await rig.runs()).every(({ text }) => text !== '')).toBe(true))
    const stopped = rig.shown()?.together?.[1] ?? ''
    await rig.app.api['run.stop']({ runId: stopped }, rig.app.context)
    await eventually(() => expect(rig.shown()).toMatchObject({ end: 'complete' }))
    const states = (await rig.runs()).map(({ runId, state }) => [runId === stopped, state])
    expect(states.toSorted()).toEqual([
      [false, 'finished'],
      [false, 'finished'],
      [true, 'stopped'],
    ])
    expect((await rig.takes()).every(({ text }) => text !== '')).toBe(true)
  })

  it('end when all are stopped, or when one is accepted while the others write', async () => {
    const rig = await open({ slots: 3, contextTokens: 3 * 8192, tokenMs: 30 })
    const { api, context, workId } = rig.app
    await rig.start()
    await eventually(async () => expect(await rig.takes()).toHaveLength(3))
    await api['draft.stopEndless']({ workId }, context)
    await eventually(() => expect(rig.shown()).toMatchObject({ end: 'stopped' }))
    expect((await rig.runs()).map(({ state }) => state)).toEqual(['stopped', 'stopped', 'stopped'])

    await rig.start()
    await eventually(async () => expect(await rig.takes()).toHaveLength(6))
    const [, , , , second] = await rig.takes()
    const text = (await rig.runs()).find(({ takeId }) => takeId === second?.takeId)?.text ?? ''
    await api['take.update'](
      { takeId: second?.takeId ?? '', state: 'inserted', acceptedLength: text.length + 1000 },
      context,
    )
    await eventually(() => expect(rig.shown()).toMatchObject({ end: 'stopped' }))
    await eventually(async () =>
      expect((await rig.runs()).every(({ state }) => state !== 'running')).toBe(true),
    )
    const accepted = (await rig.takes()).find(({ takeId }) => takeId === second?.takeId)
    expect(accepted).toMatchObject({ state: 'inserted' })
  })
})
