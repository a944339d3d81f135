import { expect, onTestFinished } from 'vitest'
import { type AppStore, createAppStore } from '../../../src/renderer/state/app-store.ts'
import type { KeptTexts } from '../../../src/renderer/state/kept-texts.ts'
import { createBrowserMemory, type WindowMemory } from '../../../src/renderer/state/window-memory.ts'
import { connectToFakeHost, type FakeConnection } from './fake-connection.ts'
import { FakeHost } from './fake-host.ts'
import { ItemMaker } from './session-fixtures.ts'
import { fixtureProject, playMock } from './session-play.ts'

/** A window without a page over a host in memory. */
export type OpenWindow = {
  host: FakeHost
  store: AppStore
  connection: FakeConnection
  /** Inputs of a method in the order in which it was asked. */
  asked(method: string): unknown[]
}

/** Shape: `tabMemory` of this window alone; without one `memory` is. */
export type WindowOptions = {
  host?: FakeHost
  memory?: WindowMemory
  tabMemory?: WindowMemory
  keptTexts?: KeptTexts
}

/** The session that `openSession` opens: the window's mock. */
export const mockSessionId = 'session-3'

/** A window as it begins; its connection ends with the test. */
export function startWindow({
  host = new FakeHost(),
  memory,
  tabMemory,
  keptTexts,
}: WindowOptions = {}): OpenWindow {
  const connection: FakeConnection & { close?: () => void } = connectToFakeHost(host)
  onTestFinished(() => connection.close?.())
  const store = createAppStore(connection, memory ?? createBrowserMemory(null), keptTexts, tabMemory)
  const asked = (method: string) =>
    host.calls.filter((call) => call.method === method).map((call) => call.input)
  return { host, store, connection, asked }
}

/** Starts a window and opens the folder that the host names, if any. */
export async function openWindow(options: WindowOptions & { isNamed?: boolean } = {}): Promise<OpenWindow> {
  const host = options.host ?? new FakeHost()
  if (options.isNamed !== false) host.openPath = host.work.root
  const opened = startWindow({ ...options, host })
  await until(() => opened.store.getState().connection.host !== null)
  if (host.openPath !== null) await until(() => opened.store.getState().work.current !== null)
  return opened
}

/** A host with the sessions of the window's mock. */
export function mockHost(): { host: FakeHost; make: ItemMaker } {
  const host = new FakeHost()
  const make = new ItemMaker()
  host.work = fixtureProject
  playMock(host, make)
  return { host, make }
}

/** Opens a window with a session: the newest one of the test's own host, else the mock's. */
export async function openSession(options: WindowOptions & { sessionId?: string } = {}) {
  const mock = mockHost()
  const opened = await openWindow({ ...options, host: options.host ?? mock.host })
  const sessions = () => opened.store.getState().sessions
  const conversation = () => opened.store.getState().conversation
  const composer = () => opened.store.getState().composer
  await until(() => sessions().isListLoaded)
  conversation().open(options.sessionId ?? mockSessionId)
  await until(() => conversation().current?.status === 'ready')
  return { ...opened, make: mock.make, sessions, conversation, composer }
}

export async function until(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue, { interval: 2 }).toBe(true)
}
