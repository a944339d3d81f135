import { expect, it } from 'vitest'
import { FakeHost } from '../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow, until } from '../../../../tests/fakes/window-host/open-window.ts'
import type { ToolServer } from '../../../shared/domain/app/tool-server.ts'

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
