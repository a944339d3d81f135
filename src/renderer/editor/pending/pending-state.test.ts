import { history, undo } from '@codemirror/commands'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import type { PendingContinuation } from '../editor-types.ts'
import {
  acceptedLength,
  closePending,
  offerPending,
  type PendingPlace,
  pendingField,
  pendingPlace,
  settlePending,
} from './pending-state.ts'

const STORY = '雨が降る。'

describe('the place of a pending continuation', () => {
  it('is what is left of lead and text', () => {
    expect(placeOf(offered({ lead: '\n', text: '　夜。' }))).toMatchObject({ at: 5, rest: '\n　夜。' })
  })

  it('uses up what the author types of it, and gives it back when that is deleted', () => {
    let state = offered({ lead: '\n', text: '　夜。' })
    state = change(state, { from: 5, insert: '\n　' })
    expect(placeOf(state)).toMatchObject({ at: 7, rest: '夜。' })
    state = change(state, { from: 6, to: 7 })
    expect(placeOf(state)).toMatchObject({ at: 6, rest: '　夜。' })
    expect(acceptedLength(placeOf(state), 0)).toBe(0)
  })

  it('stays behind other typing, without what was used up before', () => {
    let state = offered({ text: '風が吹く。' })
    state = change(state, { from: 5, insert: '風' })
    state = change(state, { from: 6, insert: '、' })
    expect(placeOf(state)).toMatchObject({ at: 7, rest: 'が吹く。' })
    state = change(state, { from: 7, insert: 'が' })
    expect(placeOf(state).rest).toBe('吹く。')
    expect(acceptedLength(placeOf(state), 0)).toBe(2)
  })

  it('is not compared with what an input method still composes', () => {
    let state = offered({ text: 'かぜが吹く。' })
    state = compose(state, { from: 5, insert: 'か' })
    expect(placeOf(state)).toMatchObject({ at: 6, rest: 'かぜが吹く。' })
    state = compose(state, { from: 5, to: 6, insert: 'かぜ' })
    expect(placeOf(state).rest).toBe('かぜが吹く。')
    state = state.update({ effects: settlePending.of(null) }).state
    expect(placeOf(state)).toMatchObject({ at: 7, rest: 'が吹く。' })
  })

  it('moves with edits before it and survives the deletion of what is around it', () => {
    let state = offered({ text: '夜。' })
    state = change(state, { from: 0, insert: '序。' })
    expect(placeOf(state).at).toBe(7)
    state = change(state, { from: 2, to: 7 })
    expect(placeOf(state)).toMatchObject({ at: 2, rest: '夜。' })
  })

  it('offers again what an undo takes back', () => {
    let state = offered({ text: '夜。朝。' })
    state = change(state, { from: 5, insert: '夜。' })
    expect(placeOf(state).rest).toBe('朝。')
    undo({
      state,
      dispatch: (transaction) => {
        state = transaction.state
      },
    })
    expect(placeOf(state).rest).toBe('夜。朝。')
  })

  it('follows a text that main corrected, also to a shorter one', () => {
    let state = offered({ text: '夜が更け' })
    state = change(state, { from: 5, insert: '夜が' })
    expect(placeOf(show(state, { text: '夜が明ける。' })).rest).toBe('明ける。')
    expect(placeOf(show(state, { text: '夜' })).rest).toBe('')
  })

  it('reads the position once for an id, and keeps it inside the text', () => {
    const state = offered({ text: '夜。' }, 99)
    expect(placeOf(state).at).toBe(5)
    expect(placeOf(show(state, { text: '夜。朝。' }, 0)).at).toBe(5)
    expect(placeOf(show(state, { id: 'take-2', text: '昼。' }, 0)).at).toBe(0)
  })

  it('goes on behind what was taken of the take before it, where it begins with that', () => {
    const first = { placeId: 'p', text: '夜。朝。', phase: 'finished' as const }
    const sibling = (text: string) => ({ id: 'take-2', placeId: 'p', text })
    let state = change(offered(first), { from: 5, insert: '夜。' })
    state = show(state, sibling(''))
    expect(placeOf(state)).toMatchObject({ at: 7, rest: '' })
    expect(placeOf(show(state, sibling('夜')))).toMatchObject({ at: 7, rest: '' })
    state = show(state, sibling('夜。昼。'))
    expect(placeOf(state)).toMatchObject({ at: 7, rest: '昼。' })
    expect(acceptedLength(placeOf(state), 2)).toBe(4)
    state = change(state, { from: 5, to: 7 })
    expect(placeOf(state)).toMatchObject({ at: 5, rest: '夜。昼。' })
  })

  it('goes on behind that also where the author has written on since, or writes while it waits for its text', () => {
    let state = change(offered({ placeId: 'p', text: '夜。朝。' }), { from: 5, insert: '夜。' })
    state = change(state, { from: 7, insert: '風。' })
    state = show(state, { id: 'take-2', placeId: 'p', text: '' })
    state = change(state, { from: 9, insert: '雪。' })
    state = show(state, { id: 'take-2', placeId: 'p', text: '夜。昼。' })
    expect(placeOf(state)).toMatchObject({ at: 11, rest: '昼。' })
  })

  it('is offered whole where it begins otherwise', () => {
    let state = change(offered({ placeId: 'p', text: '夜。朝。' }), { from: 5, insert: '夜。' })
    state = show(state, { id: 'take-2', placeId: 'p', text: '夜' })
    state = show(state, { id: 'take-2', placeId: 'p', text: '夜が明ける。' })
    expect(placeOf(state)).toMatchObject({ at: 7, rest: '夜が明ける。' })
    const ended = { id: 'take-3', placeId: 'p', text: '夜', phase: 'stopped' as const }
    expect(placeOf(show(state, ended))).toMatchObject({ at: 7, rest: '夜' })
  })

  it('is found again with what the author already has of it', () => {
    const state = EditorState.create({ doc: `${STORY}夜。`, extensions: [pendingField] })
    const pending = { id: 'take-1', position: 7, lead: '', text: '夜。朝。', phase: 'finished' as const }
    const found = state.update({ effects: offerPending.of({ pending, position: 7, from: 5 }) }).state
    expect(placeOf(found)).toMatchObject({ at: 7, rest: '朝。' })
    const other = { ...pending, text: '朝。' }
    const whole = state.update({ effects: offerPending.of({ pending: other, position: 7, from: 5 }) }).state
    expect(placeOf(whole)).toMatchObject({ at: 7, rest: '朝。' })
    expect(placeOf(change(whole, { from: 7, insert: '朝' })).rest).toBe('。')
  })

  it('does not come back after it was closed', () => {
    const closed = offered({ text: '夜。' }).update({ effects: closePending.of('take-1') }).state
    expect(pendingPlace(show(closed, { text: '夜。朝。' }))).toBeNull()
    const next = show(closed, { id: 'take-2', text: '昼。' })
    expect(placeOf(show(next, { text: '夜。' })).pending.id).toBe('take-2')
  })
})

function offered(offer: Partial<PendingContinuation>, position = STORY.length): EditorState {
  return show(EditorState.create({ doc: STORY, extensions: [pendingField, history()] }), offer, position)
}

function show(state: EditorState, offer: Partial<PendingContinuation>, position = 0): EditorState {
  const pending: PendingContinuation = {
    id: 'take-1',
    position,
    lead: '',
    text: '',
    phase: 'writing',
    ...offer,
  }
  return state.update({ effects: offerPending.of({ pending, position }) }).state
}

function change(state: EditorState, changes: TransactionSpec['changes'] & object): EditorState {
  return state.update({ changes, userEvent: 'input.type' }).state
}

function compose(state: EditorState, changes: TransactionSpec['changes'] & object): EditorState {
  return state.update({ changes, userEvent: 'input.type.compose' }).state
}

function placeOf(state: EditorState): PendingPlace {
  const place = pendingPlace(state)
  if (!place) throw new Error('Nothing is pending')
  return place
}
