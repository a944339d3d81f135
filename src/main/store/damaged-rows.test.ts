/** Every column of every table with every kind of damage, against everything that reads it. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { openTestStore, openWholeStore, type WholeStore } from '../../../tests/fakes/disks/test-store.ts'
import { newRun } from '../../../tests/fakes/new-run.ts'
import { defaultTimeouts, ModelProfile } from '../../shared/domain/model/model-profile.ts'
import { noSessionStats } from '../../shared/domain/session/session.ts'
import type { SpeculationEvent } from '../../shared/domain/session/speculation.ts'
import { newSuggestionEvent } from '../../shared/domain/session/suggestion.ts'
import { isAppError } from '../../shared/errors.ts'
import { systemClock } from '../platform/clock.ts'
import { systemRandom } from '../platform/random.ts'
import type { DamagedRow } from './database/stored-rows.ts'

/** Which row of each table is damaged. */
const victims: Record<string, string> = {
  settings: "key = 'bad'",
  profiles: "id = 'bad'",
  works: "root = '/bad'",
  work_state: "key = 'bad'",
  runs: "id = 'bad'",
  chunks: 'refs = 7',
  takes: "id = 'bad'",
  history: "reason = 'manual'",
  unsaved_texts: "file = '/bad'",
  open_documents: "file = '/bad'",
  change_sets: "id = 'bad'",
  change_set_files: "path = 'bad'",
  change_set_entries: "path = 'bad'",
  sessions: "id = 'bad'",
  session_items: "item_id = 'bad'",
  session_entries: 'position = 1',
  session_turns: 'turn = 2',
  session_changes: "change_set_id = 'bad'",
  audit: 'seq = 1',
  consent_rules: "root = '/bad'",
  folder_trust: "root = '/bad'",
  suggestions: "id = 'bad'",
  speculations: "id = 'bad'",
  unsent_messages: "about = 'bad'",
}

const damages: unknown[] = [
  null,
  '',
  '{"a":',
  'null',
  '5',
  '[]',
  '{}',
  '{"kind":"of a later version","mode":"new","outcome":"new"}',
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'x'.repeat(300_000),
  -1,
  1e308,
  9_007_199_254_740_993n,
  Buffer.from([0xff, 0xfe, 0, 1]),
  Buffer.alloc(33),
]

/** Two kinds for a column, all of them in the long series. */
const damagesFor = (column: number): unknown[] =>
  process.env.TSUGI_SOAK ? damages : [2, 3 + (column % 11)].map((at) => damages[at])

const both = ['good', 'bad'] as const

function fill(store: WholeStore): void {
  const id = 'good'
  const sampler = { temperature: 0.5 }
  for (const name of ['bad', 'good'] as const) {
    store.settings.set(name, { name })
    store.profiles.save(
      ModelProfile.parse({
        id: name,
        name,
        backend: 'embedded',
        file: '/m.gguf',
        templateId: 'mistral',
        samplerPresetId: 'novel',
        timeouts: defaultTimeouts,
      }),
    )
    store.works.setLastPath(workOf(store, `/${name}`), '1.txt')
    store.works.setState(workOf(store, '/good'), name, { name })
    store.runs.save(
      newRun({
        runId: name,
        path: '1.txt',
        takeId: name,
        placeId: name,
        state: 'finished',
        phase: 'writing',
        text: name,
        startedAt: 5,
      }),
    )
    const take = {
      takeId: name,
      workId: 'w',
      path: '1.txt',
      mode: 'generate' as const,
      ideaTarget: 'all' as const,
      placeId: name,
      task: 'CONT' as const,
      text: name,
      lead: '',
      position: 0,
      state: 'pending' as const,
      acceptedLength: 0,
      stopReason: 'stop' as const,
      modelName: 'm',
      isDemo: false,
      promptTokens: 1,
      completionTokens: 1,
      tokensPerSecond: 5,
      elapsedMs: 6,
      createdAt: 1,
    }
    store.takes.add({ take, prompt: [{ origin: 'body', text: name }], rolls: [], sampler, seed: 7 })
    store.history.add({ file: '/f', at: 1, reason: name === 'bad' ? 'manual' : 'open', text: `kept ${name}` })
    store.unsaved.keep({ file: `/${name}`, at: 1, baseHash: null, text: name })
    store.unsaved.opened(`/${name}`, 1)
    store.changeSets.commit({
      id: name,
      root: '/r',
      at: 1,
      state: 'done',
      note: 'removed',
      files: [{ path: name, oldHash: null, newHash: 'a', mode: 0o644, oldMode: null }],
      entries: [{ path: name, before: null, after: { kind: 'folder', mode: 0o755 } }],
    })
    store.audit.add({
      at: 5,
      sessionId: 's',
      tool: 'run_command',
      subject: name,
      risk: 'medium',
      verdict: 'approved',
      record: { callId: 'c1', by: 'user', name: null, hash: 'abc' },
      reason: null,
    })
    store.consentRules.add(`/${name}`, { effect: 'deny', tool: null, pattern: 'secret/**' })
    store.folderTrust.set(`/${name}`, false, 1)
    store.suggestions.add(
      newSuggestionEvent({
        suggestionId: name,
        sessionId: 's',
        at: 1,
        source: 'model',
        modelName: 'm',
        length: 9,
        promptTokens: 100,
        reusedTokens: 90,
        completionTokens: 4,
        msToSuggestion: 300,
      }),
    )
    const speculation: SpeculationEvent = {
      speculationId: name,
      suggestionId: '',
      sessionId: 's',
      at: 1,
      depth: 0,
      modelName: '',
      outcome: 'accepted',
      reason: null,
      isFinished: true,
      boundary: null,
      turnsUsed: 2,
      filesWritten: 0,
      toolUseCount: 0,
      durationMs: 0,
      hadPipelinedSuggestion: false,
      refusedHunks: 0,
      promptTokens: 100,
      reusedTokens: 90,
      completionTokens: 5,
    }
    store.speculations.add(speculation)
  }
  const workId = workOf(store, '/good')
  for (const sessionId of both)
    store.sessions.add({
      session: {
        sessionId,
        workId,
        title: sessionId,
        createdAt: 1,
        updatedAt: 1,
        messages: 0,
        branchedFrom: null,
      },
      isTitled: false,
      language: 'ja',
      turn: 0,
      epoch: 0,
      lastSeq: 2,
      state: { any: 'state' },
      rules: [],
      stats: noSessionStats,
      queue: [],
      folders: [],
    })
  const text = (words: string) => [{ kind: 'text' as const, text: words }]
  for (const [seq, itemId] of both.entries()) {
    store.sessions.saveItem(id, {
      itemId,
      seq,
      turn: 1,
      at: 1,
      kind: 'user',
      how: 'send',
      segments: text('words'),
    })
    store.sessions.addChange(id, 1, itemId)
    store.unsentMessages.keep(workId, { sessionId: null, about: itemId, segments: text(itemId) }, 1)
  }
  for (const turn of [1, 2, 3]) store.sessions.startTurn(id, { turn, epoch: 0, entries: 0, state: { turn } })
  store.sessions.appendEntries(
    id,
    0,
    0,
    ['one', 'two', 'three'].map((words) => ({ turn: 1, role: 'user', kind: 'message', text: words })),
  )
}

function workOf(store: WholeStore, root: string): string {
  return store.works.open(root, root.slice(1), 1).workId
}

/** Returns false where the column itself refuses the change. */
function isStored(change: () => boolean): boolean {
  try {
    return change()
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_MISMATCH') return false
    throw error
  }
}

/** Returns all reads, each with the value that it must return whichever other row is damaged. */
function reads(store: WholeStore, workId: string): [name: string, read: () => unknown, want: unknown][] {
  const { sessions } = store
  const good = expect.arrayContaining(['good'])
  return [
    ['a setting', () => store.settings.get('good'), { name: 'good' }],
    ['profiles', () => store.profiles.list().map(({ id }) => id), good],
    ['recent works', () => store.works.recent().map(({ name }) => name), good],
    ['a work', () => store.works.get(workId)?.root, '/good'],
    ['a state', () => store.works.getState(workId, 'good'), { name: 'good' }],
    ['runs', () => store.runs.list('w').map(({ runId }) => runId), good],
    ['takes', () => store.takes.list({ workId: 'w', limit: 1 }).takes.length, 1],
    [
      'takes of a mode',
      () => store.takes.list({ workId: 'w', mode: 'generate', limit: 9 }).takes.map(({ takeId }) => takeId),
      good,
    ],
    [
      'takes but for a mode',
      () => store.takes.list({ workId: 'w', except: ['idea'], limit: 9 }).takes.map(({ takeId }) => takeId),
      good,
    ],
    ['a take', () => store.takes.get('good').prompt[0]?.text, 'good'],
    [
      'snapshots',
      () => store.history.list('/f').map((found) => [found.reason, store.history.counted(found).words > 0]),
      expect.arrayContaining([['open', true]]),
    ],
    ['unsaved text', () => store.unsaved.find('/good')?.text, 'good'],
    ['a change set', () => store.changeSets.get('good')?.files[0]?.path, 'good'],
    ['removed files', () => store.changeSets.noted('/r', 'removed').map(({ id }) => id), good],
    ['what is done', () => store.changeSets.inState('done').map(({ id }) => id), good],
    ['decisions', () => store.audit.list('s', { limit: 9 }).entries.map(({ subject }) => subject), good],
    ['rules', () => store.consentRules.list('/good').length, 1],
    ['trust', () => store.folderTrust.get('/bad').isTrusted, false],
    ['suggestions', () => store.suggestions.list({ limit: 1 }).events.length, 1],
    ['what became of them', () => store.suggestions.summary().offered > 0, true],
    ['speculations', () => store.speculations.list({ limit: 1 }).events.length, 1],
    ['judged ones', () => store.speculations.judged(0, 1).length, 1],
    ['their sum', () => store.speculations.summary().started > 0, true],
    ['unsent messages', () => store.unsentMessages.list(workId).map(({ about }) => about), good],
    ['sessions', () => sessions.list(workId).map(({ session }) => session.sessionId), good],
    ['a page of items', () => sessions.items('good', { limit: 1 }).items.length, 1],
    ['items', () => sessions.allItems('good').map(({ itemId }) => itemId), good],
    ['an item', () => sessions.getItem('good', 'good')?.itemId, 'good'],
    ['open items', () => sessions.openItems('good'), []],
    ['commands', () => sessions.backgroundCalls('good'), []],
    ['items about', () => sessions.itemsAbout('good', 'call', ['x']), []],
    ['the prompt', () => [0, 2].map((at) => sessions.entries('good', 0).at(at)?.text), ['one', 'three']],
    ['a turn', () => sessions.turnStart('good', 1)?.state, { turn: 1 }],
    ['a search', () => sessions.search({ query: 'words', limit: 9 }).length > 0, true],
    ['images', () => sessions.imagesInUse().size, 0],
  ]
}

/** Returns the reads by name and those that may skip no row: for these an error with a code is right. */
function namedReads(store: WholeStore, workId: string): (() => unknown)[] {
  return [
    () => workOf(store, '/bad'),
    () => store.settings.get('bad'),
    () => store.profiles.get('bad'),
    () => store.works.getState(workId, 'bad'),
    () => store.runs.get('bad'),
    () => store.takes.get('bad'),
    () => store.takes.update('bad', {}),
    () => store.takes.movePath('w', '1.txt', '1.txt'),
    () => store.history.list('/f').map(({ id }) => store.history.read(id)),
    () => store.unsaved.find('/bad'),
    () => store.changeSets.get('bad'),
    () => store.changeSets.from('good'),
    () => store.consentRules.list('/bad'),
    () => store.sessions.get('bad'),
    () => store.sessions.turnStart('good', 2),
    () => store.sessions.turnChangesSince('good', 1),
    () => store.suggestions.change('bad', {}),
    () => store.speculations.change('bad', {}),
  ]
}

function opened() {
  const path = join(tempFolder(), 'tsugi.db')
  openTestStore(path).close()
  const told: DamagedRow[] = []
  const store = openWholeStore(path, {
    clock: systemClock,
    random: systemRandom,
    onDamaged: (row) => told.push(row),
  })
  fill(store)
  const db = new Database(path)
  db.pragma('foreign_keys = OFF')
  db.pragma('synchronous = OFF')
  // The piece of the damaged take's prompt: the first that was put away.
  db.exec('UPDATE chunks SET refs = 7 WHERE rowid = (SELECT rowid FROM chunks ORDER BY rowid LIMIT 1)')
  onTestFinished(() => {
    store.close()
    db.close()
  })
  return { store, db, told, workId: workOf(store, '/good') }
}

const columnsOf = (db: Database.Database, table: string): string[] =>
  db.prepare(`SELECT name FROM pragma_table_info(?)`).pluck().all(table) as string[]

describe('a damaged row', () => {
  it('is looked for in every table', () => {
    const { store, db, told, workId } = opened()
    const tables = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all() as string[]
    expect(tables.toSorted()).toEqual(Object.keys(victims).toSorted())
    for (const [name, read, want] of reads(store, workId)) expect([name, read()]).toEqual([name, want])
    expect(told).toEqual([])
  })

  it.each(Object.keys(victims))('of %s keeps nothing else from being read, and stays as it is', (table) => {
    const { store, db, workId } = opened()
    const columns = columnsOf(db, table)
    const list = columns.map((column) => `"${column}"`).join(', ')
    const rows = db.prepare(`SELECT ${list} FROM ${table}`).raw().safeIntegers().all() as unknown[][]
    expect(rows.length).toBeGreaterThan(1)
    const insert = db.prepare(`INSERT INTO ${table} (${list}) VALUES (${columns.map(() => '?').join(', ')})`)
    const present = () =>
      db
        .prepare(`SELECT ${columns.map((column) => `quote("${column}")`).join(', ')} FROM ${table}`)
        .raw()
        .all()
    for (const column of columns)
      for (const damage of damagesFor(columns.indexOf(column))) {
        const change = db.prepare(`UPDATE OR IGNORE ${table} SET "${column}" = ? WHERE ${victims[table]}`)
        // These may be null: a snapshot that was never counted. The list counts it.
        if (damage === null && (column === 'characters' || column === 'words')) continue
        if (!isStored(() => change.run(damage).changes > 0)) continue
        const kind = String(damage).slice(0, 40)
        const before = present()
        for (const [name, read, want] of reads(store, workId))
          expect([column, kind, name, read()]).toEqual([column, kind, name, want])
        expect(present()).toEqual(before)
        for (const read of namedReads(store, workId))
          try {
            read()
          } catch (error) {
            if (!isAppError(error)) throw error
          }
        db.transaction(() => {
          db.exec(`DELETE FROM ${table}`)
          for (const row of rows) insert.run(row)
        })()
      }
  })

  it('is told of once, by its table and its name', () => {
    const { db, told } = opened()
    db.exec("UPDATE takes SET value = '{' WHERE id = 'bad'")
    const before = told.length
    const again = openWholeStore(db.name, {
      clock: systemClock,
      random: systemRandom,
      onDamaged: (row) => told.push(row),
    })
    for (let count = 0; count < 3; count++) again.takes.list({ workId: 'w', limit: 9 })
    expect(told.slice(before)).toEqual([{ table: 'takes', row: 'bad' }])
    again.close()
  })

  it('is not passed over where it may be a rule that refuses', () => {
    const { store, db } = opened()
    db.exec("UPDATE consent_rules SET value = '{' WHERE root = '/bad'")
    expect(() => store.consentRules.list('/bad')).toThrow('store/unreadable')
  })

  it('shortens no page', () => {
    const { store, db } = opened()
    for (let count = 0; count < 60; count++)
      db.prepare("INSERT INTO suggestions (id, value) VALUES (?, '{')").run(`broken ${count}`)
    const { events, hasMore } = store.suggestions.list({ limit: 1 })
    expect([events.length, hasMore]).toEqual([1, true])
  })
})
