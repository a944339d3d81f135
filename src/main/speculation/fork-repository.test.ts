import { expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { newSessionRecord } from '../../../tests/fakes/sessions/session-record.ts'
import type { SessionItem } from '../../shared/domain/session/session-item.ts'
import type { PromptEntry } from '../agent/model/prompt/prompt-entry.ts'
import { openDatabase } from '../store/database/database.ts'
import { createSessionRepository, type SessionRepository } from '../store/sessions/session-repository.ts'
import { createForkRepository } from './session-fork.ts'

const record = newSessionRecord('s', 'w')
const entry = (text: string): PromptEntry => ({ turn: 1, role: 'user', kind: 'message', text })
const place = (seq: number, turn: number) => ({ itemId: `i${seq}`, seq, turn, at: seq })
const call = (seq: number, state: 'running' | 'done'): SessionItem => ({
  ...place(seq, 1),
  kind: 'call',
  callId: `c${seq}`,
  tool: 'grep',
  name: 'grep',
  title: '',
  args: '{}',
  state,
  outcome: null,
  text: '',
  view: null,
})
const question: SessionItem = {
  ...place(4, 2),
  kind: 'question',
  callId: 'q',
  question: '?',
  options: [],
  answer: null,
  isOpen: true,
}

/** Makes all writes of a session, and returns all that can be read of it afterwards. */
function play(sessions: SessionRepository) {
  sessions.appendEntries('s', 0, 1, [entry('two'), entry('three')])
  sessions.startTurn('s', { turn: 1, epoch: 0, entries: 1, state: { step: 'PLANNING' } })
  for (const item of [call(2, 'running'), call(1, 'done'), question, call(3, 'running')])
    sessions.saveItem('s', item)
  sessions.saveItem('s', call(3, 'done'))
  sessions.save({ ...record, turn: 2, lastSeq: 4, session: { ...record.session, messages: 2 } })
  sessions.appendEntries('s', 1, 0, [entry('anew')])
  for (const turn of [1, 2]) sessions.addChange('s', turn, `set ${turn}`)
  sessions.forgetChanges('s', 2)
  return {
    record: sessions.get('s'),
    entries: [sessions.entries('s', 0), sessions.entries('s', 1), sessions.entries('s', 2)],
    starts: [sessions.turnStart('s', 1), sessions.turnStart('s', 2)],
    items: sessions.allItems('s'),
    page: sessions.items('s', { before: 4, limit: 2 }),
    all: sessions.items('s', { limit: 9 }),
    turn: sessions.itemsOfTurn('s', 2),
    open: sessions.openItems('s'),
    about: [sessions.itemsAbout('s', 'call', ['c1', 'q']), sessions.itemsAbout('s', 'question', ['q'])],
    one: [sessions.getItem('s', 'i2'), sessions.getItem('s', 'none')],
    changes: sessions.changesSince('s', 1),
    together: sessions.together(() => 7),
  }
}

it('is to a session what the store is', () => {
  const db = openDatabase(`${tempFolder()}/tsugi.db`)
  db.prepare("INSERT INTO works (id, root, name, opened_at) VALUES ('w', '/w', 'w', 0)").run()
  const stored = createSessionRepository(db)
  stored.add(record)
  stored.appendEntries('s', 0, 0, [entry('one')])
  expect(play(createForkRepository(record, [entry('one')]))).toEqual(play(stored))
})

it('keeps the very entries that it began with, and knows one session', () => {
  const first = entry('one')
  const fork = createForkRepository(record, [first])
  expect(fork.entries('s', 0)[0]).toBe(first)
  expect(() => fork.get('other')).toThrow('session/not-found')
  expect(() => fork.cut('s', { turn: 1, epoch: 0, entries: 0, state: null })).toThrow('not in a fork')
})
