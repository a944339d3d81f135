import { history, undo } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeAuthority, FakeLink } from '../../../../tests/fakes/rigs/fake-document-authority.ts'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import type { KeptChanges } from '../editor-types.ts'
import { DocumentSession } from './document-session.ts'
import { changeOrigin, syncedChanges, syncedState } from './synced-changes.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const OPENED_MS = 100
const SETTLED_MS = 60_000

describe('a document session', () => {
  it('sends what is typed within 100 ms, in one request', async () => {
    const { authority, links, sessions } = await open({ text: '雨。', windows: 1 })
    const session = at(sessions, 0)
    type(session, 2, '風')
    type(session, 3, '。')
    await vi.advanceTimersByTimeAsync(100)
    expect(at(links, 0).requests).toHaveLength(1)
    expect(authority.text).toBe('雨。風。')
    await vi.advanceTimersByTimeAsync(200)
    expect(at(links, 0).requests).toHaveLength(1)
    expect(session.syncState).toBe('synced')
  })

  it('has one request under way', async () => {
    const { links, sessions } = await open({ text: '', windows: 1 })
    const link = at(links, 0)
    link.latencyMs = () => 1_000
    for (let i = 0; i < 30; i++) {
      type(at(sessions, 0), i, 'あ')
      await vi.advanceTimersByTimeAsync(50)
    }
    expect(link.mostInProgress).toBe(1)
    expect(link.requests.length).toBeLessThanOrEqual(2)
  })

  it('keeps origins apart, so that main can tell a take from typing', async () => {
    const { links, sessions } = await open({ text: '', windows: 1 })
    const session = at(sessions, 0)
    type(session, 0, 'a')
    session.dispatch({ changes: { from: 1, insert: 'take' }, annotations: changeOrigin.of('take') })
    session.localChanged()
    type(session, 5, 'b')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(at(links, 0).requests.map((request) => request.origin)).toEqual([undefined, 'take', undefined])
  })

  it('makes each of main’s own changes one undo step, and none of other windows’', async () => {
    const { authority, sessions } = await open({ text: '一', windows: 2 })
    const session = at(sessions, 0)
    type(session, 1, '二')
    await vi.advanceTimersByTimeAsync(500)
    authority.changeAsHost({ from: 2, insert: '三' }, 'agent')
    authority.changeAsHost({ from: 3, insert: '四' }, 'agent')
    await vi.advanceTimersByTimeAsync(500)
    type(at(sessions, 1), 0, '零')
    await vi.advanceTimersByTimeAsync(500)
    expect(textOf(session)).toBe('零一二三四')
    const steps = []
    while (undo({ state: stateOf(session), dispatch: (transaction) => session.dispatch(transaction) })) {
      session.localChanged()
      steps.push(textOf(session))
    }
    expect(steps).toEqual(['零一二三', '零一二', '零一'])
  })

  it('flushes at once and says when main has it', async () => {
    const { authority, sessions } = await open({ text: '', windows: 1 })
    type(at(sessions, 0), 0, '急ぎ')
    let isDone = false
    void at(sessions, 0)
      .flush()
      .then(() => {
        isDone = true
      })
    await vi.advanceTimersByTimeAsync(30)
    expect(authority.text).toBe('急ぎ')
    expect(isDone).toBe(true)
  })

  it('of a removed file ends with what main has not got in the browser, and sends nothing more', async () => {
    const { authority, links, sessions, kept } = await open({ text: '雨。', windows: 1 })
    const session = at(sessions, 0)
    type(session, 2, '風。')
    authority.remove()
    await vi.advanceTimersByTimeAsync(10)
    expect(session.isGone).toBe(true)
    session.leave()
    await session.flush()
    expect(kept.get('window-0')).toMatchObject({ base: '雨。' })
    const sent = at(links, 0).requests.length
    await vi.advanceTimersByTimeAsync(SETTLED_MS)
    expect(at(links, 0).requests).toHaveLength(sent)
  })

  it('of a removed file keeps nothing that main has: its history has it', async () => {
    const { authority, sessions, kept } = await open({ text: '雨。', windows: 1 })
    const session = at(sessions, 0)
    type(session, 2, '風。')
    await vi.advanceTimersByTimeAsync(500)
    session.keep()
    expect(kept.has('window-0')).toBe(true)
    authority.remove()
    await vi.advanceTimersByTimeAsync(10)
    session.leave()
    expect(kept.has('window-0')).toBe(false)
  })

  it('is saved when its text is in the file, not when main has it', async () => {
    const { authority, sessions } = await open({ text: '雨。', windows: 1 })
    const session = at(sessions, 0)
    type(session, 2, '風。')
    let isSaved = false
    void session.saved().then(() => {
      isSaved = true
    })
    await vi.advanceTimersByTimeAsync(SETTLED_MS)
    expect([authority.text, isSaved]).toEqual(['雨。風。', false])
    authority.save()
    await vi.advanceTimersByTimeAsync(10)
    expect(isSaved).toBe(true)
  })

  it('sends again after the answer was lost, and the text stands there once', async () => {
    const { authority, links, sessions } = await open({ text: '', windows: 1 })
    type(at(sessions, 0), 0, '一度')
    at(links, 0).loseAnswers = true
    await vi.advanceTimersByTimeAsync(120)
    expect(authority.text).toBe('一度')
    at(links, 0).loseAnswers = false
    at(links, 0).disconnect()
    type(at(sessions, 0), 2, 'だけ')
    await vi.advanceTimersByTimeAsync(SETTLED_MS)
    expect(authority.text).toBe('一度だけ')
    expect(textOf(at(sessions, 0))).toBe('一度だけ')
    expect(at(sessions, 0).syncState).toBe('synced')
  })

  it('counts a change once when the answer was lost and main has forgotten its history', async () => {
    const { authority, links, sessions } = await open({ text: '雨。', windows: 2 })
    const [first, second] = [at(sessions, 0), at(sessions, 1)]
    at(links, 0).loseAnswers = true
    type(first, 2, '風。')
    await vi.advanceTimersByTimeAsync(120)
    type(second, 0, '夜。')
    await vi.advanceTimersByTimeAsync(500)
    authority.forget()
    at(links, 0).loseAnswers = false
    at(links, 0).disconnect()
    type(first, 4, '終')
    await vi.advanceTimersByTimeAsync(SETTLED_MS)
    expect(authority.text).toBe('夜。雨。風。終')
    expect(textOf(first)).toBe(authority.text)
  })

  it('keeps what was typed offline when main comes back with another text', async () => {
    const { authority, links, sessions } = await open({ text: '雨が降る。', windows: 1 })
    at(links, 0).disconnect()
    type(at(sessions, 0), 5, '風も吹く。')
    authority.restart('夜、雨が降る。')
    await vi.advanceTimersByTimeAsync(SETTLED_MS)
    expect(authority.text).toBe('夜、雨が降る。風も吹く。')
    expect(textOf(at(sessions, 0))).toBe(authority.text)
  })

  it('says again what main had accepted and not saved when it was killed', async () => {
    const { authority, links, sessions } = await open({ text: '雨が降る。', windows: 1 })
    const session = at(sessions, 0)
    type(session, 5, '風も')
    await vi.advanceTimersByTimeAsync(500)
    authority.save()
    type(session, 7, '吹く。')
    await vi.advanceTimersByTimeAsync(500)
    expect([authority.text, session.hasUnsaved]).toEqual(['雨が降る。風も吹く。', true])
    authority.kill()
    at(links, 0).disconnect()
    await vi.advanceTimersByTimeAsync(SETTLED_MS)
    expect(textOf(session)).toBe('雨が降る。風も吹く。')
    expect(authority.text).toBe('雨が降る。風も吹く。')
    authority.save()
    await vi.advanceTimersByTimeAsync(500)
    expect(session.hasUnsaved).toBe(false)
  })

  it('says nothing again that the file took before main could say so', async () => {
    const { authority, links, sessions } = await open({ text: '', windows: 2 })
    type(at(sessions, 0), 0, '我')
    await vi.advanceTimersByTimeAsync(500)
    type(at(sessions, 1), 1, '彼')
    await vi.advanceTimersByTimeAsync(500)
    authority.save({ isSaid: false })
    type(at(sessions, 0), 2, '我')
    type(at(sessions, 1), 2, '彼')
    await vi.advanceTimersByTimeAsync(500)
    const before = authority.text
    authority.kill()
    for (const link of links) link.disconnect()
    await vi.advanceTimersByTimeAsync(SETTLED_MS)
    expect([...authority.text].sort()).toEqual([...before].sort())
    for (const session of sessions) expect(textOf(session)).toBe(authority.text)
  })

  it('goes on in the next page of the tab from what the one before could not save', async () => {
    const { authority, links, sessions, kept } = await open({ text: '雨。', windows: 1 })
    type(at(sessions, 0), 2, '風。')
    await vi.advanceTimersByTimeAsync(500)
    at(links, 0).isDown = true
    at(links, 0).disconnect()
    type(at(sessions, 0), 4, '雪。')
    await vi.advanceTimersByTimeAsync(500)
    expect(kept.get('window-0')).toMatchObject({ base: '雨。' })
    at(sessions, 0).close()
    authority.kill((text) => `夜。${text}`)
    const next = await open({ authority, kept, windows: 1 })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(textOf(at(next.sessions, 0))).toBe('夜。雨。風。雪。')
    expect(authority.text).toBe('夜。雨。風。雪。')
    expect(kept.has('window-0')).toBe(true)
    authority.save()
    await vi.advanceTimersByTimeAsync(500)
    expect(kept.has('window-0')).toBe(false)
  })

  it.each([1, 2])(
    'keeps what was sent and not saved through reloads and a kill right behind them (%i)',
    async (reloads) => {
      const first = await open({ text: '雨。', windows: 1 })
      const { authority, kept } = first
      let session = at(first.sessions, 0)
      type(session, 2, '風。')
      await vi.advanceTimersByTimeAsync(500)
      expect(authority.text).toBe('雨。風。')
      let links = first.links
      for (let reload = 0; reload < reloads; reload++) {
        session.keep()
        session.close()
        const next = await open({ authority, kept, windows: 1 })
        session = at(next.sessions, 0)
        links = next.links
      }
      authority.kill()
      at(links, 0).disconnect()
      await vi.advanceTimersByTimeAsync(SETTLED_MS)
      expect([textOf(session), authority.text]).toEqual(['雨。風。', '雨。風。'])
      authority.save()
      await vi.advanceTimersByTimeAsync(500)
      expect(kept.has('window-0')).toBe(false)
    },
  )

  it.each([31, 32, 33, 34, 35, 36, 37, 38])(
    'keeps every character through kills, whatever was saved or said by then (seed %i)',
    async (seed) => {
      const random = seededRandom(seed)
      const windows = 1 + (seed % 2)
      const { authority, links, sessions } = await open({ text: '吾輩は猫である。', windows })
      for (const link of links) link.latencyMs = () => Math.floor(random() * 60)
      const typed: string[] = []
      for (let step = 0; step < 150; step++) {
        const session = at(sessions, Math.floor(random() * windows))
        const word = String.fromCharCode(0x5000 + step)
        const from = Math.floor(random() * (stateOf(session).doc.length + 1))
        typed.push(word)
        type(session, from, word)
        await vi.advanceTimersByTimeAsync(Math.floor(random() * 200))
        const chance = random()
        if (chance < 0.15) authority.save()
        else if (chance < 0.25) authority.save({ isSaid: false })
        if (chance > 0.9 || (chance > 0.2 && chance < 0.25)) {
          authority.kill()
          for (const link of links) link.disconnect()
          await vi.advanceTimersByTimeAsync(Math.floor(random() * 2_000))
        }
      }
      await vi.advanceTimersByTimeAsync(SETTLED_MS)
      for (const unit of typed) expect([unit, authority.text.includes(unit)]).toEqual([unit, true])
      if (windows === 1) for (const unit of typed) expect(authority.text.split(unit)).toHaveLength(2)
      for (const session of sessions) expect(textOf(session)).toBe(authority.text)
    },
  )

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'converges under loss and delay (seed %i)',
    async (seed) => {
      const random = seededRandom(seed)
      const windows = 2 + (seed % 2)
      const { authority, links, sessions } = await open({
        text: '吾輩は猫である。\n名前はまだ無い。',
        windows,
      })
      for (const link of links) link.latencyMs = () => Math.floor(random() * 300)
      const typed: string[] = []
      for (let step = 0; step < 120; step++) {
        const session = at(sessions, Math.floor(random() * windows))
        const length = stateOf(session).doc.length
        const from = Math.floor(random() * (length + 1))
        const chance = random()
        if (chance < 0.5) {
          const word = String.fromCharCode(0x5000 + 2 * step, 0x5001 + 2 * step)
          typed.push(word)
          session.dispatch({ changes: { from, insert: word } })
        } else if (chance < 0.6) {
          session.dispatch({ changes: { from: length, insert: '\n' } })
        } else if (chance < 0.66) {
          authority.changeAsHost({ from: 0, insert: '主' }, 'agent')
        } else if (chance < 0.75) {
          at(links, Math.floor(random() * windows)).disconnect()
        } else if (chance < 0.78) authority.forget()
        session.localChanged()
        await vi.advanceTimersByTimeAsync(Math.floor(random() * 120))
      }
      await vi.advanceTimersByTimeAsync(SETTLED_MS)
      for (const session of sessions) {
        expect(textOf(session)).toBe(authority.text)
        expect(syncedState(stateOf(session)).unconfirmed).toHaveLength(0)
      }
      // Insertions may part one another, but every character stands there once.
      for (const unit of typed.join('')) expect(authority.text.split(unit)).toHaveLength(2)
    },
  )

  it.each([21, 22, 23, 24, 25, 26])('converges with deletions too (seed %i)', async (seed) => {
    const random = seededRandom(seed)
    const { authority, links, sessions } = await open({
      text: '山路を登りながら、こう考えた。'.repeat(4),
      windows: 3,
    })
    for (const link of links) link.latencyMs = () => Math.floor(random() * 200)
    for (let step = 0; step < 150; step++) {
      const session = at(sessions, step % 3)
      const length = stateOf(session).doc.length
      const from = Math.floor(random() * (length + 1))
      const to = Math.min(length, from + Math.floor(random() * 6))
      session.dispatch({ changes: { from, to, insert: random() < 0.6 ? `${step}` : '' } })
      session.localChanged()
      if (random() < 0.08) at(links, step % 3).disconnect()
      if (random() < 0.04) authority.forget()
      await vi.advanceTimersByTimeAsync(Math.floor(random() * 90))
    }
    await vi.advanceTimersByTimeAsync(SETTLED_MS)
    for (const session of sessions) expect(textOf(session)).toBe(authority.text)
  })
})

async function open(options: {
  text?: string
  windows: number
  authority?: FakeAuthority
  kept?: Map<string, KeptChanges>
}) {
  const { text = '', windows, authority = new FakeAuthority(text), kept = new Map() } = options
  const links = Array.from({ length: windows }, (_, index) => {
    const name = `window-${index}`
    return Object.assign(new FakeLink(authority, name), {
      kept: {
        read: () => kept.get(name) ?? null,
        write: (changes: KeptChanges | null) => (changes ? kept.set(name, changes) : kept.delete(name)),
      },
    })
  })
  const sessions = links.map(
    (link) =>
      new DocumentSession(link, {
        createState: ({ text, version }) =>
          EditorState.create({ doc: text, extensions: [history(), syncedChanges(version)] }),
        readOnlyChange: () => ({}),
        onOpened: () => undefined,
        onDocument: () => undefined,
        onSync: () => undefined,
        onProblem: () => undefined,
      }),
  )
  await vi.advanceTimersByTimeAsync(OPENED_MS)
  return { authority, links, sessions, kept }
}

function type(session: DocumentSession, from: number, insert: string): void {
  session.dispatch({ changes: { from, insert }, userEvent: 'input.type' })
  session.localChanged()
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`No item ${index}`)
  return item
}

function stateOf(session: DocumentSession): EditorState {
  if (!session.state) throw new Error('The document is not open')
  return session.state
}

function textOf(session: DocumentSession): string {
  return stateOf(session).doc.toString()
}
