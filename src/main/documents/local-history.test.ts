import { join } from 'node:path'
import { ChangeSet, Text } from '@codemirror/state'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { openTestStore } from '../../../tests/fakes/disks/test-store.ts'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import type { HistoryReason } from '../../shared/domain/work/history-entry.ts'
import { createLocalHistory, snapshotsToPrune } from './local-history.ts'
import { createSnapshotRule } from './snapshot-rule.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

describe('what the local history keeps', () => {
  const now = 1_700_000_000_000
  /** One snapshot every ten minutes for a year, newest first. */
  const snapshots = Array.from({ length: 365 * 144 }, (_, index) => ({
    id: String(index),
    file: '/a',
    at: now - index * 600_000,
    reason: 'interval' as HistoryReason,
    count: null,
  }))

  it('is all of a day, then by hours, days and weeks', () => {
    const pruned = new Set(snapshotsToPrune(snapshots, now))
    const kept = snapshots.filter(({ id }) => !pruned.has(id))
    const within = (from: number, to: number) =>
      kept.filter(({ at }) => now - at > from && now - at <= to).length
    expect(within(-1, dayMs)).toBe(145)
    expect(within(dayMs, 7 * dayMs)).toBeGreaterThanOrEqual(144)
    expect(within(dayMs, 7 * dayMs)).toBeLessThanOrEqual(146)
    expect(within(7 * dayMs, 90 * dayMs)).toBeLessThanOrEqual(85)
    expect(within(90 * dayMs, 366 * dayMs)).toBeLessThanOrEqual(42)
  })

  it('is always what the author kept by hand', () => {
    const manual = snapshots.map((snapshot) => ({ ...snapshot, reason: 'manual' as const }))
    expect(snapshotsToPrune(manual, now)).toEqual([])
  })

  it('stays as it is when it is pruned again', () => {
    const pruned = new Set(snapshotsToPrune(snapshots, now))
    expect(
      snapshotsToPrune(
        snapshots.filter(({ id }) => !pruned.has(id)),
        now,
      ),
    ).toEqual([])
  })
})

describe('a version that the author saves', () => {
  it('is kept as such, also where the newest snapshot has the same text', async () => {
    const clock = manualClock()
    const store = openTestStore(join(tempFolder(), 'tsugi.db'))
    onTestFinished(() => store.close())
    const local = createLocalHistory({ clock, repository: store.history })
    local.add('/a', 'open', '一')
    await clock.advance(60_000)
    const saved = local.add('/a', 'manual', '一')
    expect(saved).toMatchObject({ reason: 'manual', at: clock.now() })
    expect(local.add('/a', 'open', '一')).toEqual(saved)
    local.add('/a', 'interval', '二')
    expect(local.list('/a', 'a')).toMatchObject([{ reason: 'interval' }, { id: saved.id, reason: 'manual' }])
    expect(snapshotsToPrune(store.history.list('/a'), clock.now() + 400 * dayMs)).toEqual([])
  })
})

describe('a text that is added soon', () => {
  function history() {
    const clock = manualClock()
    const added: string[] = []
    const store = new Map<string, string>()
    const repository = {
      add({ file, reason, text, at }: { file: string; reason: HistoryReason; text: string; at: number }) {
        if (text === 'full') throw new Error('no space')
        added.push(`${file} ${reason} ${text}`)
        store.set(file, text)
        return { id: file, file, at, reason, count: null }
      },
      list: () => [],
      remove: () => undefined,
    }
    const local = createLocalHistory({ clock, repository: repository as never })
    const errors: unknown[] = []
    const open = (file: string, text: string) =>
      local.addSoon(file, 'open', text, (error) => errors.push(error))
    return { clock, added, local, errors, open }
  }

  it('costs whoever opens it nothing, and is there a moment later', async () => {
    const { clock, added, open } = history()
    open('/a', '一')
    open('/b', '二')
    expect(added).toEqual([])
    await clock.advance(1_000)
    expect(added).toEqual(['/a open 一', '/b open 二'])
  })

  it('is there before anything else is added or read', () => {
    const { added, local, open } = history()
    open('/a', '一')
    local.add('/a', 'manual', '二')
    open('/a', '三')
    local.list('/a', 'a')
    open('/a', '四')
    local.settle()
    expect(added).toEqual(['/a open 一', '/a manual 二', '/a open 三', '/a open 四'])
  })

  it('tells whoever added it that the disk is full, and keeps the others', () => {
    const { added, errors, local, open } = history()
    open('/a', 'full')
    open('/b', '二')
    local.settle()
    expect(errors).toHaveLength(1)
    expect(added).toEqual(['/b open 二'])
  })
})

describe('when a snapshot is due', () => {
  function rule() {
    const clock = manualClock()
    const reasons: string[] = []
    const doc = Text.of(['あ'.repeat(400)])
    const snapshots = createSnapshotRule(clock, (reason) => reasons.push(reason))
    const change = (from: number, to: number, insert = '') => ChangeSet.of({ from, to, insert }, doc.length)
    return { clock, reasons, doc, snapshots, change }
  }

  it('is every ten minutes of change', async () => {
    const { clock, reasons, doc, snapshots } = rule()
    for (let minute = 0; minute < 25; minute++) {
      await clock.advance(60_000)
      snapshots.saved(doc)
    }
    expect(reasons).toEqual(['interval', 'interval'])
  })

  it('is before a large deletion, not before a small one or a replacement of the same length', () => {
    const { reasons, doc, snapshots, change } = rule()
    snapshots.beforeChange(doc, change(0, 150), undefined)
    snapshots.beforeChange(doc, change(0, 300, 'い'.repeat(300)), undefined)
    expect(reasons).toEqual([])
    snapshots.beforeChange(doc, change(0, 200), undefined)
    expect(reasons).toEqual(['large-deletion'])
  })

  it('is once for a take that is accepted word by word, and again for the next', async () => {
    const { clock, reasons, doc, snapshots, change } = rule()
    for (let word = 0; word < 3; word++) {
      snapshots.beforeChange(doc, change(0, 0, '語'), 'take')
      await clock.advance(1_000)
    }
    expect(reasons).toEqual(['take'])
    await clock.advance(20_000)
    snapshots.beforeChange(doc, change(0, 0, '語'), 'take')
    expect(reasons).toEqual(['take', 'take'])
  })
})
