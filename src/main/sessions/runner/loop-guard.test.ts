import { describe, expect, it } from 'vitest'
import { LoopGuard } from './loop-guard.ts'

function loopsAt(calls: string): number[] {
  const guard = new LoopGuard()
  return [...calls].flatMap((name, index) => (guard.isLoop(name, '{}') ? [index] : []))
}

describe('a loop', () => {
  it.each([
    ['aaa', [2]],
    ['aabaa', []],
    ['ababab', [5]],
    ['abcabcabc', []],
    ['xababab', [6]],
    ['aaaaaa', [2, 5]],
    ['abaab', []],
  ])('in %s is found at %j', (calls, at) => expect(loopsAt(calls)).toEqual(at))

  it('counts the arguments too, and starts anew with a message', () => {
    const guard = new LoopGuard()
    expect([1, 2, 3].map((line) => guard.isLoop('read', `${line}`))).toEqual([false, false, false])
    guard.isLoop('grep', 'x')
    guard.isLoop('grep', 'x')
    guard.begin()
    expect(guard.isLoop('grep', 'x')).toBe(false)
  })

  it('takes no polling of a command for a loop', () => {
    const guard = new LoopGuard()
    const asked = Array.from({ length: 9 }, () => guard.isLoop('command_output', '{"command_id":"1"}'))
    expect(asked).toEqual(asked.map(() => false))
    // Polls between other calls do not hide a loop of the other calls.
    const looked = [1, 2, 3].map(() => [
      guard.isLoop('read_file', '{}'),
      guard.isLoop('command_output', '{}'),
    ])
    expect(looked.flat()).toEqual([false, false, false, false, true, false])
  })
})
