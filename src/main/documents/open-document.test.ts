import { collab, getSyncedVersion, receiveUpdates, sendableUpdates } from '@codemirror/collab'
import { ChangeSet, EditorState, Text } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../tests/fakes/seeded-random.ts'
import type { ChangeSetJson } from '../../shared/domain/work/document.ts'
import { createOpenDocument, type OpenDocument } from './open-document.ts'

const open = (text: string): OpenDocument => createOpenDocument('d', Text.of(text.split('\n')), 100)

/** A window as CodeMirror's collab plugin makes it. */
function window(document: OpenDocument, clientID: string) {
  let state = EditorState.create({
    doc: document.doc,
    extensions: collab({ startVersion: document.version, clientID }),
  })
  return {
    text: () => state.doc.toString(),
    type(from: number, to: number, insert: string) {
      state = state.update({ changes: { from, to, insert } }).state
    },
    length: () => state.doc.length,
    send(isAnswerLost = false) {
      const updates = sendableUpdates(state)
      const json = updates.map((update) => update.changes.toJSON() as ChangeSetJson)
      for (const change of document.rebase(getSyncedVersion(state), json, clientID) ?? []) {
        document.take(change, clientID)
      }
      if (!isAnswerLost) this.receive()
    },
    receive() {
      const missed = document.changesSince(getSyncedVersion(state)) ?? []
      const updates = missed.map(({ changes, clientId }) => ({
        changes: ChangeSet.fromJSON(changes),
        clientID: clientId,
      }))
      state = receiveUpdates(state, updates).state
    },
  }
}

describe('an open document', () => {
  it('brings windows together that type at once, also when answers are lost', () => {
    const random = seededRandom(11)
    const pick = (count: number): number => Math.floor(random() * count)
    for (let round = 0; round < 60; round++) {
      const document = open('はじめの本文\n二行目')
      const windows = ['a', 'b', 'c'].map((id) => window(document, id))
      for (let step = 0; step < 30; step++) {
        const one = windows[pick(3)] ?? window(document, 'x')
        const from = pick(one.length() + 1)
        const to = Math.min(one.length(), from + pick(3))
        one.type(from, to, ['', 'あ', '\n', '文字'][pick(4)] ?? '')
        if (pick(3) === 0) one.send(pick(4) === 0)
        if (pick(5) === 0) document.take(ChangeSet.of({ from: 0, insert: '※' }, document.doc.length), 'host')
      }
      for (const one of windows) one.send()
      for (const one of windows) one.receive()
      for (const one of windows) expect(one.text()).toBe(document.doc.toString())
    }
  })

  it('refuses changes that do not fit their base', () => {
    const document = open('abc')
    expect(() => document.rebase(100, [[7]], 'a')).toThrow('document/bad-version')
    expect(() => document.rebase(100, [[3], [9]], 'a')).toThrow('document/bad-version')
    expect(document.doc.toString()).toBe('abc')
  })

  it('says that a base is not known: too old, or of another opening', () => {
    const document = open('')
    for (let count = 0; count < 4_001; count++) {
      document.take(ChangeSet.of({ from: 0, insert: 'a' }, document.doc.length), 'host')
    }
    expect(document.rebase(100, [[0]], 'a')).toBeUndefined()
    expect(document.rebase(9_999, [[0]], 'a')).toBeUndefined()
    expect(document.changesSince(document.version - 2_000)).toHaveLength(2_000)
  })

  it('takes a line break inside an inserted line as a line break', () => {
    const document = open('ab')
    const [change] = document.rebase(100, [[1, [0, 'x\r\ny'], 1]], 'a') ?? []
    if (change !== undefined) document.take(change, 'a')
    expect(document.doc.lines).toBe(2)
  })
})
