/** A model that goes away under the built host, and one whose host goes away. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Run } from '../../../src/shared/domain/drafting/run.ts'
import type { ModelStatus } from '../../../src/shared/domain/model/model-status.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { startFakeKobold } from '../../fakes/servers/fake-kobold.ts'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'
import { startTestHost } from '../support/host-process.ts'
import { openTestWindow, type TestWindow } from '../support/test-window.ts'

describe('a server that dies in the middle of a page', () => {
  it('is shown as lost at once, and as ready by itself when it is back', async () => {
    const kobold = await startFakeKobold({ contextTokens: 4096 })
    const window = await openWindow('窓を開けると')
    await window.client['model.use']({ backend: 'koboldcpp', address: kobold.address })
    const states = watchModel(window)
    await eventually(() => expect(states).toEqual(['ready']))
    kobold.faults.diesAfterTokens = 20
    const end = await draft(window)
    expect(end).toMatchObject({ state: 'failed', error: { code: expect.stringMatching(/^model\//) } })
    await eventually(() => expect(states).toEqual(['ready', 'unreachable']))

    const again = await startFakeKobold({ contextTokens: 4096, port: Number(new URL(kobold.address).port) })
    onTestFinished(() => again.close())
    await eventually(() => expect(states).toEqual(['ready', 'unreachable', 'ready']))
    expect(await draft(window)).toMatchObject({ state: 'finished' })
  })
})

describe('the embedded engine', () => {
  it('has not to read a page again after the app was closed', async () => {
    const [root, dataDir, models] = [tempFolder(), tempFolder(), tempFolder()]
    const file = join(models, 'neko.gguf')
    writeTinyGguf(file, { contextTokens: 8192 })
    const text = 'ねこがないた。'.repeat(100)
    writeFileSync(join(root, '01.txt'), text)

    const first = await startTestHost(dataDir)
    const window = await openTestWindow(first.link, root)
    await window.client['model.use']({ backend: 'embedded', file })
    const cold = await draft(window)
    expect(cold).toMatchObject({ state: 'finished', figures: { reusedTokens: 0 } })
    await first.stop()

    const second = await startTestHost(dataDir)
    const later = await openTestWindow(second.link, root)
    const warm = await draft(later)
    const { promptTokens, reusedTokens } = warm.figures
    expect(promptTokens).toBeGreaterThan(600)
    expect((promptTokens ?? 0) - (reusedTokens ?? 0)).toBe(1)
  })
})

async function openWindow(text: string): Promise<TestWindow> {
  const root = tempFolder()
  writeFileSync(join(root, '01.txt'), text)
  const host = await startTestHost(tempFolder())
  return openTestWindow(host.link, root)
}

function watchModel({ client }: TestWindow): ModelStatus['state'][] {
  const states: ModelStatus['state'][] = []
  const end = new AbortController()
  const reading = (async () => {
    for await (const { state } of client['model.watch']({}, { signal: end.signal })) states.push(state)
  })()
  onTestFinished(async () => {
    end.abort()
    await Promise.allSettled([reading])
  })
  return states
}

/** Runs a draft to its end; returns its end and last figures. */
async function draft({ client, workId }: TestWindow): Promise<Run> {
  const { run } = await client['draft.start']({ workId, path: '01.txt', seed: 1 })
  const watched = client['run.watch']({ runId: run.runId })
  for await (const event of watched) if (event.type === 'ended') break
  const { runs } = await client['run.list']({ workId })
  const ended = runs.find(({ runId }) => runId === run.runId)
  if (ended === undefined) throw new Error('the run is not listed')
  return ended
}
