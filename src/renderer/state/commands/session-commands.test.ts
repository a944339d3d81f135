import { expect, it } from 'vitest'
import { lastTurn } from './session-commands.ts'

const stateOf = (...items: object[]) => ({ conversation: { current: { items } } }) as never
const beside = { kind: 'user', how: 'beside', turn: 0 }

it('a question that was asked beside begins no turn that could be written anew', () => {
  expect(lastTurn(stateOf(beside))).toBeNull()
  expect(lastTurn(stateOf({ kind: 'user', how: 'send', turn: 1 }, { ...beside, turn: 1 }))).toBe(1)
})
