import { expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openSession } from '../../../../../tests/fakes/window-host/open-window.ts'

it('lists the folders in which commands run in a copy, and ends it in one of them', async () => {
  const host = new FakeHost()
  host.sessions.add()
  host.sessions.sandboxFolders.add('/one').add('/two')
  const { store } = await openSession({ host, sessionId: 'session-1' })
  const consent = () => store.getState().consent
  await consent().loadSandboxFolders()
  expect(consent().sandboxFolders).toEqual(['/one', '/two'])
  await consent().turnOffSandboxIn('/one')
  expect(consent().sandboxFolders).toEqual(['/two'])
  expect(consent().error).toBeNull()
})
