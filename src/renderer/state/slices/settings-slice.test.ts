import { describe, expect, it } from 'vitest'
import { FakeHost } from '../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow, until } from '../../../../tests/fakes/window-host/open-window.ts'
import type { ToolServer } from '../../../shared/domain/app/tool-server.ts'
import { noWorkSettings } from '../../../shared/domain/work/work-settings.ts'

const server = (name: string): ToolServer => ({
  name,
  isOn: true,
  transport: { kind: 'stdio', command: name, args: [] },
})

async function openServers() {
  const host = new FakeHost()
  host.settings = { ...host.settings, toolServers: [server('one'), server('two')] }
  const { store } = await openWindow({ host })
  await until(() => store.getState().settings.isLoaded)
  const isOn = (toolServers: readonly ToolServer[]) => toolServers.map((one) => one.isOn)
  return {
    host,
    servers: () => store.getState().toolServers,
    shown: () => isOn(store.getState().settings.value.toolServers),
    kept: () => isOn(host.settings.toolServers),
  }
}

it('two switches that are pressed before the host answers both take effect', async () => {
  const { servers, shown, kept } = await openServers()
  const pressed = [servers().use('one', false), servers().use('two', false)]
  await Promise.all(pressed)
  await until(() => !shown().includes(true))
  expect(kept()).toEqual([false, false])
})

async function opened() {
  const host = new FakeHost()
  host.workSettings = { ...noWorkSettings, enableFollowupSuggestions: false }
  const { store } = await openWindow({ host })
  const value = () => store.getState().workSettings.value
  await expect.poll(() => value().enableFollowupSuggestions, { interval: 2 }).toBe(false)
  return { host, store, value }
}

describe('the settings of the open folder', () => {
  it('change only in what is named', async () => {
    const { store, value } = await opened()
    await store.getState().workSettings.update({ enableCacheSharing: true })
    expect(value()).toEqual({ ...noWorkSettings, enableFollowupSuggestions: false, enableCacheSharing: true })
  })

  it('keep both of two changes that are made before the host answers', async () => {
    const { host, store, value } = await opened()
    const { dismiss } = store.getState().toolServers
    const proposed = (hash: string) => ({ hash }) as never
    await Promise.all([dismiss(proposed('one')), dismiss(proposed('two'))])
    expect(value().dismissedServers).toEqual(['one', 'two'])
    expect(host.workSettings.dismissedServers).toEqual(['one', 'two'])
  })

  it('follow what another window chose', async () => {
    const { host, value } = await opened()
    host.topics.workSettings.publish({ ...noWorkSettings, enableFollowupSuggestions: true })
    await expect.poll(() => value().enableFollowupSuggestions, { interval: 2 }).toBe(true)
  })

  it('are none where no folder is open', async () => {
    const { host, store, value } = await opened()
    store.getState().work.close()
    expect(value()).toEqual(noWorkSettings)
    await store.getState().workSettings.update({ enableCacheSharing: true })
    expect(host.calls.some(({ method }) => method === 'work.updateSettings')).toBe(false)
  })
})
