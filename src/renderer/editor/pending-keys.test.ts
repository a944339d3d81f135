import { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { expect, it } from 'vitest'
import type { PendingEvent } from './editor-types.ts'
import { pendingListener, retryPending, swapPending } from './pending/pending-commands.ts'
import { offerPending, pendingField } from './pending/pending-state.ts'

function pressed(nth: number, total: number, command: (view: EditorView) => boolean) {
  const events: Omit<PendingEvent, 'key'>[] = []
  const extensions = [pendingField, pendingListener.of((event) => events.push(event))]
  const pending = { id: 'take', position: 0, lead: '', text: '夜。', phase: 'finished' as const, nth, total }
  const { state } = EditorState.create({ extensions }).update({
    effects: offerPending.of({ pending, position: 0 }),
  })
  expect(command({ state, composing: false, compositionStarted: false } as EditorView)).toBe(true)
  return events
}

it.each([
  [1, 3, 'swap'],
  [3, 3, 'retry'],
  [1, 1, 'retry'],
])('Alt+R at take %d of %d asks for: %s', (nth, total, kind) => {
  expect(pressed(nth, total, retryPending)).toEqual([expect.objectContaining({ kind, id: 'take' })])
})

it('Alt+← and Alt+→ stay among the takes that are there', () => {
  expect(pressed(3, 3, swapPending(1))).toEqual([])
  expect(pressed(1, 3, swapPending(-1))).toEqual([])
  expect(pressed(2, 3, swapPending(-1))).toEqual([{ kind: 'swap', id: 'take', step: -1 }])
})
