import { describe, expect, it } from 'vitest'
import type { ChangeSetRecord } from '../store/change-set-repository.ts'
import type { FileChange } from '../workspace/change-plan.ts'
import { netChanges, TurnUndo } from './turn-undo.ts'

function changeSet(id: string, ...files: [string, string | null, string | null][]): ChangeSetRecord {
  return {
    id,
    root: '/w',
    at: 0,
    state: 'done',
    note: '',
    files: files.map(([path, oldHash, newHash]) => ({ path, oldHash, newHash, mode: null })),
  }
}

describe('several changes of one file', () => {
  it('come to how it was before the first and after the last', () => {
    const records = [
      changeSet('1', ['a', 'a0', 'a1'], ['new', null, 'n1']),
      changeSet('2', ['a', 'a1', 'a2'], ['new', 'n1', 'n2'], ['back', 'b0', 'b1']),
      changeSet('3', ['back', 'b1', 'b0'], ['gone', 'g0', null]),
    ]
    expect(netChanges(records).map(({ path, oldHash, newHash }) => [path, oldHash, newHash])).toEqual([
      ['a', 'a0', 'a2'],
      ['new', null, 'n2'],
      ['gone', 'g0', null],
    ])
  })
})

describe('taking a turn back', () => {
  const sets = [
    changeSet('1', ['a', 'a0', 'a1'], ['made', null, 'm1'], ['gone', 'g0', null], ['edited', 'e0', 'e1']),
  ]
  const now: Record<string, string | null> = { a: 'a1', made: 'm1', gone: null, edited: 'somebody' }
  const undo = new TurnUndo({
    changeSet: (id) => sets.find((set) => set.id === id),
    bytes: async (hash) => Buffer.from(hash),
    currentHash: async (_root, path) => now[path] ?? null,
  })

  it('says before what it would do, and what it would leave', async () => {
    expect(await undo.preview('/w', ['1'])).toEqual([
      { path: 'a', action: 'restore', isChangedSince: false },
      { path: 'made', action: 'remove', isChangedSince: false },
      { path: 'gone', action: 'restore', isChangedSince: false },
      { path: 'edited', action: 'restore', isChangedSince: true },
    ])
  })

  it('puts every file back that nobody edited since, and touches nothing else', async () => {
    const applied: FileChange[] = []
    const operations = {
      async apply(changes: readonly FileChange[]) {
        applied.push(...changes)
        return { changeSetId: 'u', conflicts: [] }
      },
    }
    const result = await undo.undo('/w', ['1'], () => operations)
    expect(result).toEqual({ files: ['a', 'made', 'gone'], left: ['edited'] })
    expect(applied).toEqual([
      { kind: 'write', path: 'a', baseHash: 'a1', bytes: Buffer.from('a0') },
      { kind: 'delete', path: 'made', baseHash: 'm1' },
      { kind: 'write', path: 'gone', baseHash: null, bytes: Buffer.from('g0') },
    ])
  })
})
