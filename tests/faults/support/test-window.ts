import { EditorState } from '@codemirror/state'
import { onTestFinished } from 'vitest'
import { keepConnected } from '../../../src/renderer/api/keep-connected.ts'
import { DocumentSession } from '../../../src/renderer/editor/document/document-session.ts'
import { syncedChanges } from '../../../src/renderer/editor/document/synced-changes.ts'
import { type Client, contract } from '../../../src/shared/contract/index.ts'
import type { DocumentEvent } from '../../../src/shared/domain/work/document.ts'
import { openHostPort } from '../../e2e/support/host-client.ts'
import { eventually } from '../../fakes/eventually.ts'

/** A window without a page: the renderer's own connection and its own document sessions, run by Node. */
export type TestWindow = {
  client: Client
  workId: string
  /** Connects to another host by its link, as a tab does with a new link. */
  follow(link: string): Promise<void>
  open(path: string): Promise<TestDocument>
}

export type TestDocument = {
  session: DocumentSession
  /** All that the host said of it, snapshots too. */
  events: DocumentEvent[]
  text(): string
  /** Types at the end. */
  type(text: string): void
  /** Waits until the host has all that was typed here. */
  synced(): Promise<void>
  /** Waits for an event of this kind and returns the newest one. */
  heard<K extends DocumentEvent['kind']>(kind: K): Promise<Extract<DocumentEvent, { kind: K }>>
  documentId(): string
}

/** Opens the folder `root` in a new window of the host that printed `link`. */
export async function openTestWindow(link: string, root: string): Promise<TestWindow> {
  let currentLink = link
  const connection = keepConnected(contract, {
    firstDelayMs: 20,
    maxDelayMs: 100,
    open: () => openHostPort(currentLink),
  })
  onTestFinished(() => connection.close())
  const { client } = connection
  const opened = async () => {
    await eventually(() => {
      if (connection.state() !== 'open') throw new Error(`the connection is ${connection.state()}`)
    })
    return (await client['work.open']({ path: root })).workId
  }
  const window: TestWindow = {
    client,
    workId: await opened(),
    async follow(next) {
      currentLink = next
      window.workId = await opened()
    },
    open: (path) => openDocument(window, path),
  }
  return window
}

let windows = 0

async function openDocument(window: TestWindow, path: string): Promise<TestDocument> {
  const { client } = window
  const clientId = `test-window-${++windows}`
  const events: DocumentEvent[] = []
  const session = new DocumentSession(
    {
      key: path,
      clientId,
      watch: ({ afterVersion, signal }) =>
        client['document.watch'](
          { workId: window.workId, path, ...(afterVersion === undefined ? {} : { afterVersion }) },
          { signal },
        ),
      send: (batch) => client['document.change']({ clientId, ...batch }),
    },
    {
      createState: ({ text, version }) =>
        EditorState.create({ doc: text, extensions: syncedChanges(version) }),
      readOnlyChange: () => ({}),
      onOpened: () => undefined,
      onDocument: (_key, event) => void events.push(event),
      onSync: () => undefined,
      onProblem: () => undefined,
    },
  )
  onTestFinished(() => session.close())
  const state = () => {
    if (session.state === null) throw new Error(`${path} is not open yet`)
    return session.state
  }
  const opened: TestDocument = {
    session,
    events,
    text: () => state().doc.toString(),
    type(text) {
      session.dispatch({ changes: { from: state().doc.length, insert: text } })
      session.localChanged()
    },
    synced: () =>
      eventually(() => {
        if (session.syncState !== 'synced') throw new Error(`${path} is ${session.syncState}`)
      }),
    heard: (kind) =>
      eventually(() => {
        const event = events.findLast((each) => each.kind === kind)
        if (event === undefined) throw new Error(`nothing was said of ${kind}`)
        return event as Extract<DocumentEvent, { kind: typeof kind }>
      }),
    documentId() {
      const snapshot = events.findLast((event) => event.kind === 'snapshot')
      if (snapshot === undefined) throw new Error(`${path} was never opened`)
      return snapshot.snapshot.documentId
    },
  }
  await opened.synced()
  return opened
}
