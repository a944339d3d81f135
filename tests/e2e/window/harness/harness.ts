import { mountWindow } from '../../../../src/renderer/mount.tsx'
import { connectToFakeHost, type FakeConnection } from '../../../fakes/window-host/fake-connection.ts'
import { FakeHost } from '../../../fakes/window-host/fake-host.ts'
import { fixtureTake, readyModel } from '../../../fakes/window-host/fixtures.ts'
import { ItemMaker } from '../../../fakes/window-host/session-fixtures.ts'
import { fixtureProject, playMock } from '../../../fakes/window-host/session-play.ts'

/** What a test can do to the page's host. */
export type Harness = { host: FakeHost; connection: FakeConnection; make: ItemMaker }

declare global {
  var harness: Harness
}

const query = new URLSearchParams(location.search)
const host = new FakeHost()
const make = new ItemMaker()
if (query.has('project')) host.work = fixtureProject
if (query.has('mock')) playMock(host, make)
if (query.has('work') || query.has('project')) host.openPath = host.work.root
if (query.has('model')) {
  host.setModel(readyModel)
  host.runs.putTake(fixtureTake())
}
host.locale = query.get('language') === 'en' ? 'en-GB' : 'ja-JP'
const theme = query.get('theme')
if (theme === 'light' || theme === 'dark' || theme === 'sepia') host.settings = { ...host.settings, theme }

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
const connection = connectToFakeHost(host)
globalThis.harness = { host, connection, make }
// The desktop tells where a dropped file lies.
const pathOf = query.has('desktop') ? (file: File) => `/dropped/${file.name}` : undefined
mountWindow(connection, nonce || undefined, pathOf)
