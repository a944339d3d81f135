import { mountWindow } from '../../../../src/renderer/mount.tsx'
import { connectToFakeHost, type FakeConnection } from '../../../fakes/window-host/fake-connection.ts'
import { FakeHost } from '../../../fakes/window-host/fake-host.ts'
import { fixtureTake, readyModel } from '../../../fakes/window-host/fixtures.ts'

/** What a test can do to the page's host. */
export type Harness = { host: FakeHost; connection: FakeConnection }

declare global {
  var harness: Harness
}

const query = new URLSearchParams(location.search)
const host = new FakeHost()
if (query.has('work')) host.openPath = host.work.root
if (query.has('model')) {
  host.setModel(readyModel)
  host.runs.putTake(fixtureTake())
}
host.locale = query.get('language') === 'en' ? 'en-GB' : 'ja-JP'
const theme = query.get('theme')
if (theme === 'light' || theme === 'dark' || theme === 'sepia') host.settings = { ...host.settings, theme }

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
const connection = connectToFakeHost(host)
globalThis.harness = { host, connection }
mountWindow(connection, nonce || undefined)
