import { ChangeSet } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../../../../tests/fakes/silent-log.ts'
import { DocumentEvent } from '../../../shared/domain/work/document.ts'
import { AppError } from '../../../shared/errors.ts'
import { createBroadcast } from '../../platform/broadcast.ts'
import { createPendingPlaces } from './pending-places.ts'

function edit(length: number, spec: { from: number; to?: number; insert?: string }): DocumentEvent {
  const changes = ChangeSet.of(spec, length).toJSON()
  return DocumentEvent.parse({ kind: 'changed', version: 2, changes: [{ changes, clientId: 'a' }] })
}

const turn = () => new Promise((done) => setTimeout(done, 0))

describe('the place of a pending continuation', () => {
  it('moves with edits before it, stays at edits after it, and follows what is typed at it', async () => {
    const events = createBroadcast<DocumentEvent>()
    const places = createPendingPlaces(silentLog, () => undefined)
    places.follow('t', 10, (signal) => events.subscribe(signal))
    events.send(edit(20, { from: 0, insert: '二字' }))
    await turn()
    expect(places.positionOf('t')).toBe(12)
    events.send(edit(22, { from: 15, to: 18 }))
    await turn()
    expect(places.positionOf('t')).toBe(12)
    events.send(edit(19, { from: 12, insert: 'あ' }))
    await turn()
    expect(places.positionOf('t')).toBe(13)
    expect(places.placeOf('t')).toMatchObject({ from: 12, position: 13 })
    events.send(edit(20, { from: 5, to: 20 }))
    await turn()
    expect(places.placeOf('t')).toMatchObject({ from: 5, position: 5 })
  })

  it('says from when on changes move it, and that it is not followed where its file is gone', async () => {
    const events = createBroadcast<DocumentEvent>()
    const places = createPendingPlaces(silentLog, () => undefined)
    places.follow('t', 10, (signal) => events.subscribe(signal))
    const told: string[] = []
    const begun = places.begun('t').then(() => told.push('begun'))
    await turn()
    expect(told).toEqual([])
    events.send(edit(20, { from: 0, insert: '二字' }))
    await begun
    expect(places.positionOf('t')).toBe(12)
    // biome-ignore lint/correctness/useYield: it fails before it has anything to tell.
    places.follow('gone', 1, async function* () {
      throw new AppError({ code: 'file/not-found', path: '001.txt' })
    })
    await places.begun('gone')
    expect(places.positionOf('gone')).toBeUndefined()
    await places.begun('never followed')
  })

  it('is forgotten when the take is decided', async () => {
    const events = createBroadcast<DocumentEvent>()
    const places = createPendingPlaces(silentLog, () => undefined)
    let isOpen = true
    places.follow('t', 1, (signal) => {
      signal.addEventListener('abort', () => {
        isOpen = false
      })
      return events.subscribe(signal)
    })
    places.drop('t')
    await turn()
    expect(places.positionOf('t')).toBeUndefined()
    expect(isOpen).toBe(false)
  })

  it('is kept once the text that moved it is on disk, and again where that failed', async () => {
    const events = createBroadcast<DocumentEvent>()
    const kept: unknown[] = []
    let isFull = true
    const places = createPendingPlaces(silentLog, (takeId, place) => {
      if (isFull) throw new AppError({ code: 'file/disk-full', path: 'tsugi.db' })
      kept.push({ takeId, ...place })
    })
    const saved = DocumentEvent.parse({ kind: 'saved', version: 2, at: 1 })
    places.follow('t', 10, (signal) => events.subscribe(signal))
    events.send(saved)
    events.send(edit(20, { from: 0, insert: '二字' }))
    events.send(saved)
    await turn()
    isFull = false
    expect(kept).toEqual([])
    events.send(saved)
    events.send(saved)
    await turn()
    expect(kept).toEqual([{ takeId: 't', from: 12, position: 12 }])
    events.send(edit(22, { from: 0, insert: '一' }))
    await turn()
    places.close()
    expect(kept.at(-1)).toEqual({ takeId: 't', from: 13, position: 13 })
  })

  it('is at the end of a text that is shorter than it was', async () => {
    const events = createBroadcast<DocumentEvent>()
    const places = createPendingPlaces(silentLog, () => undefined)
    places.follow('t', 10, (signal) => events.subscribe(signal))
    const file = { encoding: 'utf-8', lineEnd: 'lf', hasBom: false, isReadOnly: false }
    const snapshot = {
      ...file,
      documentId: 'd',
      path: '001.txt',
      version: 1,
      text: '四文字。',
      savedVersion: 1,
    }
    events.send(DocumentEvent.parse({ kind: 'snapshot', snapshot }))
    events.send(edit(4, { from: 0, insert: 'あ' }))
    await turn()
    expect(places.placeOf('t')).toMatchObject({ from: 5, position: 5 })
  })

  it('is nowhere in a file that is gone, which is no bug', async () => {
    const bugs: unknown[] = []
    const places = createPendingPlaces(
      { ...silentLog, bug: (error) => String(bugs.push(error)) },
      () => undefined,
    )
    places.follow('t', 1, async function* () {
      yield* []
      throw new AppError({ code: 'file/not-found', path: '001.txt' })
    })
    await turn()
    expect(places.positionOf('t')).toBeUndefined()
    expect(bugs).toEqual([])
  })
})
