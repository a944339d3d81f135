import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow as openAny } from '../../../../tests/fakes/window-host/open-window.ts'
import type { PickPurpose } from '../../../shared/domain/app/host-info.ts'
import { splitNew, takePicked } from './picked.ts'

async function openWindow(picked: FakeHost['picked']) {
  const host = new FakeHost()
  host.picked = picked
  const { store, asked } = await openAny({ host })
  await settled()
  host.calls.length = 0
  const pick = (purpose: PickPurpose) => store.getState().ui.open({ kind: 'picker', purpose })
  return { host, store, pick, asked }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

describe('picking in the system dialog', () => {
  it.each([
    ['open-work', '/home/author/猫', {}, 'work.open', { path: '/home/author/猫' }],
    ['create-work', '/home/author/猫', {}, 'work.create', { parent: '/home/author/', name: '猫' }],
    ['open-gguf', '/m/a.gguf', {}, 'model.use', { backend: 'embedded', file: '/m/a.gguf' }],
    [
      'export-project',
      '/home/author/猫.json',
      { defaultPath: '刻の迷宮.json' },
      'work.exportProject',
      { target: '/home/author/猫.json' },
    ],
  ] as const)('%s: does it with what was picked, without a dialog in the page', async (...row) => {
    const [purpose, picked, hint, method, input] = row
    const { store, pick, asked } = await openWindow(Promise.resolve(picked))
    pick(purpose)
    expect(store.getState().ui.dialog).toBeNull()
    await settled()
    expect(asked('folder.pick')).toEqual([{ purpose, ...hint }])
    expect(asked(method)).toEqual([expect.objectContaining(input)])
    expect(store.getState().ui.dialog).toBeNull()
  })

  it.each([
    ['export-text', '本.docx', true],
    ['export-text', '本', false],
    ['export-project', '猫.json', true],
    ['export-project', '猫', false],
  ] as const)(
    '%s: %s may replace a file where the dialog has asked about it',
    async (purpose, name, isAsked) => {
      const { store, pick, asked } = await openWindow(Promise.resolve(`/home/author/${name}`))
      await store.getState().work.open('/work')
      store.getState().publishing.setExport({ format: 'docx' })
      pick(purpose)
      await settled()
      const method = purpose === 'export-text' ? 'work.exportText' : 'work.exportProject'
      expect(asked(method)).toEqual([expect.objectContaining({ mayReplace: isAsked })])
    },
  )

  it('does nothing where nothing was picked', async () => {
    const { host, pick } = await openWindow(Promise.resolve(null))
    pick('open-work')
    await settled()
    expect(host.calls.map((call) => call.method)).toEqual(['folder.pick'])
  })

  it('shows one dialog at a time, and the next one after it', async () => {
    const answer = Promise.withResolvers<null>()
    const { pick, asked } = await openWindow(answer.promise)
    pick('open-work')
    pick('open-work')
    await settled()
    expect(asked('folder.pick')).toHaveLength(1)
    answer.resolve(null)
    await settled()
    pick('open-work')
    await settled()
    expect(asked('folder.pick')).toHaveLength(2)
  })

  it('says why a dialog did not open', async () => {
    const failing = Promise.reject(new Error('no display'))
    failing.catch(() => undefined)
    const { store, pick } = await openWindow(failing)
    pick('open-work')
    await settled()
    expect(store.getState().ui.toasts).toMatchObject([{ tone: 'bad' }])
  })

  it('leaves it to the picker in the page where the host has none', async () => {
    const { store, pick, asked } = await openWindow(undefined)
    pick('open-work')
    await settled()
    expect(store.getState().ui.dialog).toEqual({ kind: 'picker', purpose: 'open-work' })
    expect(asked('folder.pick')).toEqual([])
  })
})

describe('paths of what is new', () => {
  it.each([
    ['/猫', { path: '/', name: '猫' }],
    ['/a/b\\c', { path: '/a/', name: 'b\\c' }],
    ['C:\\猫', { path: 'C:\\', name: '猫' }],
    ['C:\\a\\猫.json', { path: 'C:\\a\\', name: '猫.json' }],
  ])('%s', (path, picked) => expect(splitNew(path)).toEqual(picked))

  it.each([
    ['/', '猫', '/猫.json'],
    ['/a', '猫.json', '/a/猫.json'],
    ['C:\\', '猫', 'C:\\猫.json'],
  ])('%s and %s are exported to %s', async (path, name, target) => {
    const { store, asked } = await openWindow(undefined)
    takePicked(store.getState(), 'export-project', { path, name })
    await settled()
    expect(asked('work.exportProject')).toEqual([expect.objectContaining({ target })])
  })
})
