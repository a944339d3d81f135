import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { type LoreApp, openLoreApp } from '../../fakes/rigs/lore-app.ts'
import { createFakeLlamaServer } from '../../fakes/servers/fake-llama-server.ts'

const path = '001.txt'
const page = '　時計の針が逆回転を始めた。\n'

async function typeAtStart({ api, context, workId }: LoreApp, text: string): Promise<void> {
  for await (const event of api['document.watch']({ workId, path }, context)) {
    if (event.kind !== 'snapshot') continue
    const { documentId, version, text: before } = event.snapshot
    const changes = [[[0, text] as [number, ...string[]], before.length]]
    await api['document.change']({ documentId, clientId: 'test', baseVersion: version, changes }, context)
    return
  }
}

async function offerOf({ api, context, workId }: LoreApp) {
  const { takes } = await api['take.list']({ workId, path, limit: 10 }, context)
  return takes.find(({ state }) => state === 'pending')
}

describe('the place of an offer', () => {
  it('is where the text has moved it, also after a restart, and moves on', async () => {
    const server = await createFakeLlamaServer()
    onTestFinished(() => server.close())
    const home = tempFolder()
    const first = await openLoreApp(home, server.address, { [path]: page })
    await first.draft({ isAccepted: false })
    expect((await offerOf(first))?.position).toBe(page.length)
    await typeAtStart(first, '　雨。')
    await eventually(async () => expect((await offerOf(first))?.position).toBe(page.length + 3))
    await first.close()

    const second = await openLoreApp(home, server.address, {})
    expect((await offerOf(second))?.position).toBe(page.length + 3)
    await typeAtStart(second, '　風。')
    await eventually(async () => expect((await offerOf(second))?.position).toBe(page.length + 6))
    await second.close()
  })

  it('has no offer any more once an earlier take was accepted there: the page would be written twice', async () => {
    const server = await createFakeLlamaServer()
    onTestFinished(() => server.close())
    const app = await openLoreApp(tempFolder(), server.address, { [path]: page })
    onTestFinished(() => app.close())
    const { api, context, workId } = app
    await app.draft({ isAccepted: false })
    const first = await offerOf(app)
    await app.draft({ isAccepted: false })
    const second = await offerOf(app)
    expect(second).toMatchObject({ placeId: first?.takeId })
    const takeId = first?.takeId ?? ''
    await api['take.update']({ takeId, state: 'inserted', acceptedLength: first?.text.length ?? 0 }, context)
    expect(await offerOf(app)).toBeUndefined()
    const { takes } = await api['take.list']({ workId, path, limit: 10 }, context)
    expect(takes.map(({ state }) => state)).toEqual(['dismissed', 'inserted'])
  })
})
