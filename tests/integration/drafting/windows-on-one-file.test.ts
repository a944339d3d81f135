import { readFileSync } from 'node:fs'
import { history } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { afterEach, describe, expect, it } from 'vitest'
import { DocumentSession } from '../../../src/renderer/editor/document/document-session.ts'
import { syncedChanges, syncedState } from '../../../src/renderer/editor/document/synced-changes.ts'
import { AppError } from '../../../src/shared/errors.ts'
import { documentRig } from '../../fakes/rigs/document-rig.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'

type Rig = ReturnType<typeof documentRig>

/** A window's session on main's own document service; its connection can be cut. */
class Window {
  readonly session: DocumentSession
  #cut = new AbortController()

  constructor({ service, root }: Rig, clientId: string) {
    const link = {
      key: 'a.txt',
      clientId,
      watch: ({ afterVersion, signal }: { afterVersion?: number; signal: AbortSignal }) => {
        const cut = this.#cut.signal
        return failingWhenCut(
          service.watch({ root, path: 'a.txt', afterVersion }, AbortSignal.any([signal, cut])),
          cut,
        )
      },
      send: async (batch: Parameters<DocumentSession['link']['send']>[0]) => {
        const cut = this.#cut.signal
        const result = service.change({ clientId, origin: undefined, ...batch })
        await new Promise((resolve) => setTimeout(resolve, 2))
        if (cut.aborted) throw new AppError({ code: 'rpc/closed' })
        return result
      },
    }
    this.session = new DocumentSession(link, {
      createState: ({ text, version }) =>
        EditorState.create({ doc: text, extensions: [history(), syncedChanges(version)] }),
      readOnlyChange: () => ({}),
      onOpened: () => undefined,
      onDocument: () => undefined,
      onSync: () => undefined,
      onProblem: () => undefined,
    })
  }

  get text(): string {
    return this.session.state?.doc.toString() ?? ''
  }

  async opened(): Promise<void> {
    await expect.poll(() => this.session.state !== null).toBe(true)
  }

  type(from: number, to: number, insert: string): void {
    this.session.dispatch({ changes: { from, to, insert } })
    this.session.localChanged()
  }

  cut(): void {
    this.#cut.abort()
    this.#cut = new AbortController()
  }
}

async function* failingWhenCut<T>(events: AsyncIterable<T>, cut: AbortSignal) {
  for await (const event of events) {
    if (cut.aborted) break
    yield event
  }
  if (cut.aborted) throw new AppError({ code: 'rpc/closed' })
}

const windows: Window[] = []
afterEach(() => {
  for (const { session } of windows.splice(0)) session.close()
})

async function openWindows(rig: Rig, count: number): Promise<Window[]> {
  for (let i = 0; i < count; i++) windows.push(new Window(rig, `window-${i}`))
  await Promise.all(windows.map((window) => window.opened()))
  return windows
}

describe('windows on one file', () => {
  it.each([1, 2, 3])(
    'write one text with main, which is on disk, whatever happens to connections (seed %i)',
    async (seed) => {
      const rig = documentRig()
      const path = rig.write('a.txt', '吾輩は猫である。\n名前はまだ無い。\n')
      const open = await openWindows(rig, 3)
      const random = seededRandom(seed)
      for (let step = 0; step < 120; step++) {
        const window = open[step % open.length]
        if (!window) continue
        const { length } = window.text
        const from = Math.floor(random() * (length + 1))
        const to = Math.min(length, from + Math.floor(random() * 3))
        window.type(from, to, `${step}\n`.slice(0, 1 + Math.floor(random() * 3)))
        if (random() < 0.1) window.cut()
        if (random() < 0.3) await new Promise((resolve) => setTimeout(resolve, random() * 40))
      }
      const main = async () => (await rig.service.read({ root: rig.root, path: 'a.txt' })).text
      await expect
        .poll(async () => {
          const text = await main()
          const isDone = ({ session }: Window) =>
            session.state && syncedState(session.state).unconfirmed.length === 0
          return open.every((window) => isDone(window) && window.text === text)
        })
        .toBe(true)
      await expect.poll(async () => readFileSync(path, 'utf8') === (await main())).toBe(true)
    },
  )

  it('show main’s edits beside what is being typed', async () => {
    const rig = documentRig()
    rig.write('a.txt', '雨が降る。')
    const [window] = await openWindows(rig, 1)
    if (!window) throw new Error('No window')
    window.type(5, 5, '風も吹く。')
    await rig.service.edit({ root: rig.root, path: 'a.txt' }, { from: 0, to: 1, insert: '雪' }, 'agent')
    await expect.poll(() => window.text).toBe('雪が降る。風も吹く。')
    await window.session.flush()
    expect((await rig.service.read({ root: rig.root, path: 'a.txt' })).text).toBe('雪が降る。風も吹く。')
  })
})
