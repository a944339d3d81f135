import { describe, expect, it } from 'vitest'
import { fixtureRun, fixtureTake, fixtureWork } from '../../../../tests/fakes/window-host/fixtures.ts'
import { AppSettings } from '../../../shared/domain/app/app-settings.ts'
import { isPressed } from '../../../shared/text/key-press.ts'
import { commandFor } from '../commands/commands.ts'
import { foldRun, viewRun } from './run-reducer.ts'
import { mergeTakes, takeNames } from './take-reducer.ts'
import { displayName, firstPath, foldWork, movedOrder, nextFileName, workTotal } from './work-reducer.ts'

describe('foldRun', () => {
  const start = viewRun(fixtureRun(fixtureTake({ text: '' })))

  it('appends text in order and takes the server’s correction', () => {
    const a = foldRun(start, { type: 'text', seq: 1, text: '雨' })
    const b = foldRun(a, { type: 'text', seq: 2, text: 'が' })
    expect(b.run.text).toBe('雨が')
    expect(foldRun(b, { type: 'replace', seq: 3, text: '雨が降る' }).run.text).toBe('雨が降る')
  })

  it('lets an event pass that is already in', () => {
    const a = foldRun(start, { type: 'text', seq: 1, text: '雨' })
    expect(foldRun(a, { type: 'text', seq: 1, text: '雨' })).toBe(a)
  })

  it('takes a snapshot as it is, even an older number', () => {
    const run = { ...start.run, text: '全文' }
    const a = foldRun({ ...start, seq: 9 }, { type: 'snapshot', seq: 4, run })
    expect([a.seq, a.run.text]).toEqual([4, '全文'])
  })

  it('keeps the hint of a phase until the next phase, also from a snapshot', () => {
    const run = { ...start.run, phase: 'counting', hint: 'silent' } as const
    expect(viewRun(run).hint).toBe('silent')
    const late = foldRun(start, { type: 'snapshot', seq: 4, run })
    expect(late.hint).toBe('silent')
    expect(foldRun(late, { type: 'phase', seq: 5, phase: 'reading', progress: null }).hint).toBeNull()
  })

  it('keeps place, state and error', () => {
    let view = foldRun(start, { type: 'placed', seq: 1, position: 7, lead: '\n' })
    expect([view.run.position, view.run.lead]).toEqual([7, '\n'])
    view = foldRun(view, { type: 'ended', seq: 2, state: 'failed', error: { code: 'model/none' } })
    expect([view.run.state, view.run.error?.code]).toEqual(['failed', 'model/none'])
    const event = { type: 'ended', seq: 3, state: 'finished', error: null, stopReason: 'met' } as const
    expect(foldRun(view, event).run.stopReason).toBe('met')
  })
})

describe('works', () => {
  it('fold files and details into the open work', () => {
    expect(foldWork(fixtureWork, { type: 'files', files: [] }).files).toEqual([])
    const { details } = fixtureWork
    expect(foldWork(fixtureWork, { type: 'details', details, name: '名' }).name).toBe('名')
  })

  it('count characters only when every manuscript was counted', () => {
    expect(workTotal(fixtureWork, 'characters')).toBe(13_189)
    const files = [...fixtureWork.files, { path: '004.txt', kind: 'manuscript' as const, order: 9 }]
    expect(workTotal({ ...fixtureWork, files }, 'characters')).toBeNull()
  })

  it('show the last manuscript where no file was open or it is gone', () => {
    expect(firstPath({ ...fixtureWork, lastPath: null })).toBe('003 逆回転.txt')
    expect(firstPath({ ...fixtureWork, lastPath: 'gone.txt' })).toBe('003 逆回転.txt')
    expect(firstPath({ ...fixtureWork, files: [] })).toBeNull()
  })

  it('name new files after their neighbours', () => {
    expect(nextFileName(fixtureWork, 'manuscript', '')).toBe('004.txt')
    expect(nextFileName({ ...fixtureWork, files: [] }, 'manuscript', '')).toBe('001.txt')
    expect(nextFileName(fixtureWork, 'material', '年表')).toBe('資料/年表 2.txt')
    expect(nextFileName({ ...fixtureWork, files: [] }, 'material', '資料')).toBe('資料/資料.txt')
  })

  it('move within the manuscripts only', () => {
    expect(movedOrder(fixtureWork, '001 鐘の音.txt', 1)?.[0]).toBe('002 時計塔.txt')
    expect(movedOrder(fixtureWork, '003 逆回転.txt', 1)).toBeNull()
    expect(movedOrder(fixtureWork, '資料/年表.txt', -1)).toBeNull()
  })

  it('show a name without folder and ending', () => {
    expect(displayName('資料/登場人物.txt')).toBe('登場人物')
    expect(displayName('1.text')).toBe('1')
    expect(displayName('v1.2 final')).toBe('v1.2 final')
  })
})

describe('takes', () => {
  it('stand newest first, each once', () => {
    const a = fixtureTake({ takeId: 'a', createdAt: 1 })
    const b = fixtureTake({ takeId: 'b', createdAt: 2 })
    const changed = { ...a, state: 'kept' as const }
    expect(mergeTakes([b, a], [changed])).toEqual([b, changed])
  })

  it('of one minute are told apart by a number, in the order in which they were made', () => {
    const takes = [3, 2, 1].map((at) => fixtureTake({ takeId: `${at}`, createdAt: at }))
    const names = takeNames(
      takes,
      (at) => (at < 3 ? '9:00' : '9:01'),
      (time, nth) => `${time} (${nth})`,
    )
    expect(takes.map(({ takeId }) => names.get(takeId))).toEqual(['9:01', '9:00 (2)', '9:00 (1)'])
  })
})

describe('keys', () => {
  const press = (key: string, held: string[] = [], code = '') => ({
    key,
    code,
    ctrlKey: held.includes('Ctrl'),
    metaKey: held.includes('Meta'),
    shiftKey: held.includes('Shift'),
    altKey: held.includes('Alt'),
  })

  it('mean a command only with exactly its modifiers', () => {
    expect(isPressed(['Ctrl', 'Enter'], press('Enter', ['Ctrl']))).toBe(true)
    expect(isPressed(['Ctrl', 'Enter'], press('Enter', ['Ctrl', 'Shift']))).toBe(false)
    expect(isPressed(['Ctrl', 'Enter'], press('Enter'))).toBe(false)
    expect(isPressed(['Ctrl', 'O'], press('o', ['Meta']))).toBe(true)
  })

  it('are found by their place where the layout writes another letter', () => {
    expect(isPressed(['Alt', 'R'], press('®', ['Alt'], 'KeyR'))).toBe(true)
    expect(isPressed(['Ctrl', 'Shift', '1'], press('!', ['Ctrl', 'Shift'], 'Digit1'))).toBe(true)
  })

  it('leave to the editor what only the editor hears', () => {
    const state = { connection: { host: null }, settings: { value: AppSettings.parse({}) } }
    expect(commandFor(press('Tab'), state as never)).toBeUndefined()
  })
})
