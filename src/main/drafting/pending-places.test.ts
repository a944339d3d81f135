import { ChangeSet } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { DocumentEvent } from '../../shared/domain/work/document.ts'
import { AppError } from '../../shared/errors.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import { silentLog } from '../platform/log.ts'
import { createPendingPlaces } from './pending-places.ts'

function edit(length: number, spec: { from: number; to?: number; insert?: string }): DocumentEvent {
  const changes = ChangeSet.of(spec, length).toJSON()
  return DocumentEvent.parse({ kind: 'changed', version: 2, changes: [{ changes, clientId: 'a' }] })
}

const turn = () => new Promise((done) => setTimeout(done, 0))

describe('the place of a pending continuation', () => {
  it('moves with edits before it, stays at edits after it, and follows what is typed at it', async () => {
    const events = createBroadcast<DocumentEvent>()
    const places = createPendingPlaces(silentLog)
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

  it('is forgotten when the take is decided', async () => {
    const events = createBroadcast<DocumentEvent>()
    const places = createPendingPlaces(silentLog)
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

  it('is nowhere in a file that is gone, which is no bug', async () => {
    const bugs: unknown[] = []
    const places = createPendingPlaces({ ...silentLog, bug: (error) => String(bugs.push(error)) })
    places.follow('t', 1, async function* () {
      yield* []
      throw new AppError({ code: 'file/not-found', path: '001.txt' })
    })
    await turn()
    expect(places.positionOf('t')).toBeUndefined()
    expect(bugs).toEqual([])
  })
})
