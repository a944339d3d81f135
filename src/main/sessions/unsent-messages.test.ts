import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { openWholeStore } from '../../../tests/fakes/disks/test-store.ts'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { noSessionStats } from '../../shared/domain/session/session.ts'
import { systemRandom } from '../platform/random.ts'
import { createUnsentMessages } from './unsent-messages.ts'

const text = (value: string) => [{ kind: 'text' as const, text: value }]
const box = (sessionId: string | null, value: string) => ({ sessionId, about: null, segments: text(value) })

/** A host with the sessions `a` and `b` in a folder, and what it keeps, read anew from its file. */
function opened() {
  const clock = manualClock()
  const file = `${tempFolder()}/tsugi.db`
  const store = openWholeStore(file, { clock, random: systemRandom })
  const { workId } = store.works.open('/w', 'w', 1)
  for (const sessionId of ['a', 'b'])
    store.sessions.add({
      session: { sessionId, workId, title: '', createdAt: 1, updatedAt: 1, messages: 0, branchedFrom: null },
      isTitled: false,
      language: 'ja',
      turn: 0,
      epoch: 0,
      lastSeq: 0,
      state: {},
      rules: [],
      stats: noSessionStats,
      queue: [],
      folders: [],
    })
  const unsent = createUnsentMessages({ clock, repository: store.unsentMessages })
  const kept = () => {
    const next = openWholeStore(file, { clock, random: systemRandom })
    const messages = next.unsentMessages.list(workId)
    next.close()
    return messages
  }
  return { store, unsent, workId, kept }
}

describe('what is written and not sent', () => {
  it('outlasts the host, place by place, to the letter', () => {
    const { unsent, workId, kept } = opened()
    const message = {
      sessionId: 'a',
      about: 'item 1',
      segments: [
        { kind: 'text' as const, text: '半\ud83d と ' },
        { kind: 'file-ref' as const, path: '章 一.md', range: { from: 2, to: 4 } },
        { kind: 'paste' as const, text: 'a\nb' },
      ],
    }
    unsent.keep(workId, message)
    unsent.keep(workId, box(null, 'はじめの頼み'))
    unsent.keep(workId, box('b', '前のもの'))
    unsent.keep(workId, box('b', '次のもの'))
    expect(kept()).toEqual([message, box(null, 'はじめの頼み'), box('b', '次のもの')])
    unsent.keep(workId, { ...box('b', ''), segments: [] })
    expect(kept()).toHaveLength(2)
  })

  it('is gone where it arrived, in the session and before there was one, and nowhere else', () => {
    const { unsent, workId, kept } = opened()
    unsent.keep(workId, box(null, 'はい'))
    unsent.keep(workId, box('a', 'はい'))
    unsent.keep(workId, box('b', 'はい'))
    unsent.keep(workId, { ...box('a', '別の話'), about: 'item' })
    unsent.sent('a', text('はい'))
    expect(kept()).toEqual([box('b', 'はい'), { ...box('a', '別の話'), about: 'item' }])
    unsent.sent('a', text('別の'))
    expect(kept()).toHaveLength(2)
  })

  it('goes with its session, and is refused for one that has gone or lies in another folder', () => {
    const { store, unsent, workId, kept } = opened()
    unsent.keep(workId, box('a', '書きかけ'))
    store.sessions.remove('a')
    expect(kept()).toEqual([])
    expect(() => unsent.keep(workId, box('a', '書きかけ'))).toThrow('session/not-found')
    expect(() => unsent.keep('other', box('b', '書きかけ'))).toThrow('session/not-found')
  })

  it('is told to the windows of its folder: all of it first, then each change in order', async () => {
    const { unsent, workId } = opened()
    unsent.keep(workId, box('a', '前から'))
    const events = unsent.watch(workId, new AbortController().signal)
    const next = async () => (await events.next()).value
    const first = await next()
    expect(first).toMatchObject({ isAll: true, messages: [box('a', '前から')] })
    const seq = unsent.keep(workId, box('b', '一'))
    unsent.sent('b', text('一'))
    expect(await next()).toEqual({ seq, isAll: false, messages: [box('b', '一')] })
    const gone = { sessionId: 'b', about: null, segments: [] }
    expect(await next()).toEqual({ seq: seq + 1, isAll: false, messages: [gone] })
    unsent.close()
    expect(await next()).toBeUndefined()
  })
})
