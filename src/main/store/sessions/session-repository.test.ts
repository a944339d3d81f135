import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { noSessionStats } from '../../../shared/domain/session/session.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import { isAppError } from '../../../shared/errors.ts'
import { openDatabase } from '../database/database.ts'
import { createSessionRepository, type SessionRecord } from './session-repository.ts'

function open() {
  const db = openDatabase(`${tempFolder()}/tsugi.db`)
  db.prepare("INSERT INTO works (id, root, name, opened_at) VALUES ('w', '/w', 'w', 0)").run()
  return { db, sessions: createSessionRepository(db) }
}

function record(sessionId: string, updatedAt = 1): SessionRecord {
  return {
    session: {
      sessionId,
      workId: 'w',
      title: '日付の誤り',
      createdAt: 1,
      updatedAt,
      messages: 0,
      branchedFrom: null,
    },
    isTitled: false,
    language: 'ja',
    turn: 0,
    epoch: 0,
    lastSeq: 0,
    state: { any: 'state' },
    rules: [],
    stats: noSessionStats,
    queue: [],
    folders: [],
  }
}

function message(seq: number, turn: number, text: string): SessionItem {
  const segments = [{ kind: 'text' as const, text }]
  return { itemId: `i${seq}`, seq, turn, at: seq, kind: 'user', how: 'send', segments }
}

describe('the sessions of a folder', () => {
  it('come back as they were saved, newest first', () => {
    const { sessions } = open()
    sessions.add(record('a', 1))
    sessions.add(record('b', 2))
    sessions.save({ ...record('a', 3), turn: 2, state: { step: 'REVIEW' }, isTitled: true })
    expect(sessions.list('w').map(({ session }) => session.sessionId)).toEqual(['a', 'b'])
    expect(sessions.get('a')).toMatchObject({
      session: { messages: 2, title: '日付の誤り' },
      isTitled: true,
      state: { step: 'REVIEW' },
    })
  })

  it.each([
    ["title = x'ff'", "created_at = 'x'"],
    ["state = '{'", "rules = ''"],
  ])('are listed without the damaged ones, which are not deleted: %s, %s', (...damages) => {
    const { db, sessions } = open()
    for (const id of ['a', 'b', 'c']) sessions.add(record(id))
    for (const [at, damage] of damages.entries())
      db.exec(`UPDATE sessions SET ${damage} WHERE id = '${'ab'[at]}'`)
    expect(sessions.list('w').map(({ session }) => session.sessionId)).toEqual(['c'])
    expect(() => sessions.get('a')).toThrow('session/not-found')
    expect(db.prepare('SELECT count(*) AS n FROM sessions').get()).toEqual({ n: 3 })
  })

  it('page their items from the end', () => {
    const { sessions } = open()
    sessions.add(record('a'))
    for (let seq = 1; seq <= 7; seq++) sessions.saveItem('a', message(seq, seq, `m${seq}`))
    const last = sessions.items('a', { limit: 3 })
    expect(last.items.map(({ seq }) => seq)).toEqual([5, 6, 7])
    expect(last.hasMore).toBe(true)
    expect(sessions.items('a', { before: 3, limit: 3 })).toMatchObject({ hasMore: false })
    sessions.saveItem('a', { ...message(7, 7, 'changed') })
    expect(sessions.items('a', { limit: 1 }).items).toEqual([message(7, 7, 'changed')])
  })

  it('lose what a cut takes away, in every epoch after it, and nothing else', () => {
    const { sessions } = open()
    sessions.add(record('a'))
    sessions.add(record('b'))
    for (const id of ['a', 'b']) {
      sessions.saveItem(id, message(1, 1, 'one'))
      sessions.saveItem(id, message(2, 2, 'two'))
      sessions.appendEntries(id, 0, 0, [
        { turn: 1, role: 'user', kind: 'message', text: 'one' },
        { turn: 2, role: 'user', kind: 'message', text: 'two' },
      ])
      sessions.appendEntries(id, 1, 0, [{ turn: 2, role: 'user', kind: 'summary', text: 'short' }])
      sessions.startTurn(id, { turn: 2, epoch: 0, entries: 1, state: { was: 'before two' } })
      sessions.addChange(id, 2, `${id}-set`)
    }
    const start = sessions.turnStart('a', 2)
    expect(start).toMatchObject({ entries: 1, state: { was: 'before two' } })
    if (start !== undefined) sessions.cut('a', start)
    expect(sessions.allItems('a').map(({ itemId }) => itemId)).toEqual(['i1'])
    expect(sessions.entries('a', 0).map(({ text }) => text)).toEqual(['one'])
    expect(sessions.entries('a', 1)).toEqual([])
    expect(sessions.turnStart('a', 2)).toBeUndefined()
    expect(sessions.changesSince('a', 1)).toEqual(['a-set'])
    expect(sessions.allItems('b')).toHaveLength(2)
    expect(sessions.entries('b', 1)).toHaveLength(1)
  })

  it('are copied up to a turn with the prompt that it had', () => {
    const { sessions } = open()
    sessions.add(record('a'))
    sessions.saveItem('a', message(1, 1, 'one'))
    sessions.saveItem('a', message(2, 2, 'two'))
    const entries = ['one', 'answer', 'two'].map((text) => ({
      turn: 1,
      role: 'user' as const,
      kind: 'message' as const,
      text,
    }))
    sessions.appendEntries('a', 0, 0, entries)
    sessions.add(record('b'))
    sessions.copy('a', 'b', 1, { epoch: 0, entries: 2 })
    expect(sessions.allItems('b').map(({ itemId }) => itemId)).toEqual(['i1'])
    expect(sessions.entries('b', 0).map(({ text }) => text)).toEqual(['one', 'answer'])
  })

  it('are gone with all that they hold', () => {
    const { db, sessions } = open()
    sessions.add(record('a'))
    sessions.saveItem('a', message(1, 1, 'one'))
    sessions.appendEntries('a', 0, 0, [{ turn: 1, role: 'user', kind: 'message', text: 'one' }])
    sessions.remove('a')
    expect(db.prepare('SELECT count(*) FROM session_items').pluck().get()).toBe(0)
    expect(db.prepare('SELECT count(*) FROM session_entries').pluck().get()).toBe(0)
    sessions.save(record('a'))
    expect(() => sessions.get('a')).toThrow()
    try {
      sessions.remove('a')
    } catch (error) {
      expect(isAppError(error, 'session/not-found')).toBe(true)
    }
  })
})

describe('a search over all sessions', () => {
  it('finds items with every word, whatever their width and case, in Japanese of one character too', () => {
    const { sessions } = open()
    sessions.add(record('a', 1))
    sessions.add(record('b', 2))
    sessions.saveItem('a', message(1, 1, '閏年の判定を直す Leap YEAR'))
    sessions.saveItem('b', message(2, 1, '章の順を直す'))
    const find = (query: string) => sessions.search({ query, limit: 10 }).map(({ itemId }) => itemId)
    expect(find('直す')).toEqual(['i2', 'i1'])
    expect(find('ｙｅａｒ 閏')).toEqual(['i1'])
    expect(find('章 閏')).toEqual([])
    expect(find('  ')).toEqual([])
    expect(find('100%_')).toEqual([])
  })

  it.each([
    ['one character that is four words', '\ufdfa'.repeat(1000), 0],
    ['five hundred words', 'leap '.repeat(200), 1],
    [
      'five hundred others',
      Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(' '),
      0,
    ],
    ['the syntax of a search engine', 'NEAR(leap year) OR "x*" ^title: -', 0],
    ['the syntax of the store', `leap'); DROP TABLE sessions; --`, 0],
    ['halves of characters and NUL', '\ud800 \0 \udc00', 0],
    ['nothing but spaces of all kinds', '\u3000\u2028\u00a0', 0],
    ['marks of JSON', '"] [" \\', 0],
  ])('answers %s', (_what, query, count) => {
    const { sessions } = open()
    sessions.add(record('a', 1))
    sessions.saveItem('a', message(1, 1, 'leap year'))
    expect(sessions.search({ query, limit: 10 })).toHaveLength(count)
    expect(sessions.search({ query: 'year', limit: 10 })).toHaveLength(1)
  })

  it('has those of the open folder first, says where the others are, and passes over forgotten folders', () => {
    const { db, sessions } = open()
    const add = (workId: string, isListed: number, seq: number) => {
      if (workId !== 'w')
        db.prepare('INSERT INTO works (id, root, name, opened_at, is_listed) VALUES (?, ?, ?, 0, ?)').run(
          workId,
          `/${workId}`,
          `the ${workId}`,
          isListed,
        )
      const { session, ...rest } = record(`s-${workId}`, seq)
      sessions.add({ ...rest, session: { ...session, workId } })
      sessions.saveItem(`s-${workId}`, message(seq, 1, 'leap year'))
    }
    add('w', 1, 1)
    add('other', 1, 2)
    add('forgotten', 0, 3)
    const found = (workId?: string) =>
      sessions.search({ query: 'leap', workId, limit: 10 }).map((hit) => [hit.workId, hit.root, hit.workName])
    const [own, other] = [
      ['w', '/w', 'w'],
      ['other', '/other', 'the other'],
    ]
    expect(found('w')).toEqual([own, other])
    expect(found()).toEqual([other, own])
    expect(found('forgotten')).toEqual([['forgotten', '/forgotten', 'the forgotten'], other, own])
  })

  it('shows the words that it found with what stands around them', () => {
    const { sessions } = open()
    sessions.add(record('a', 1))
    sessions.saveItem('a', message(1, 1, `${'前'.repeat(200)}閏年${'後'.repeat(200)}`))
    const [hit] = sessions.search({ query: '閏年', limit: 10 })
    expect(hit?.excerpt).toMatch(/^…前+閏年後+…$/)
    expect(hit?.excerpt.length).toBeLessThan(130)
  })
})
