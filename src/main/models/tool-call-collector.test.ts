import { describe, expect, it } from 'vitest'
import type { CallPiece } from './openai-stream.ts'
import { ToolCallCollector } from './tool-call-collector.ts'

const piece = (changes: Partial<CallPiece>): CallPiece => ({
  index: 0,
  id: null,
  name: null,
  arguments: '',
  ...changes,
})

function collect(pieces: readonly Partial<CallPiece>[], isCut = false) {
  const collector = new ToolCallCollector('http://127.0.0.1:8080')
  for (const one of pieces) collector.push(piece(one))
  return collector.finish(isCut)
}

describe('the pieces of tool calls', () => {
  it('make whole calls in the order in which they began', () => {
    const calls = collect([
      { id: 'a', name: 'look', arguments: '{' },
      { arguments: '"at":' },
      { index: 1, id: 'b', name: 'go', arguments: '{"to":1}' },
      { arguments: '"x"}' },
    ])
    expect(calls).toEqual([
      { id: 'a', name: 'look', arguments: '{"at":"x"}' },
      { id: 'b', name: 'go', arguments: '{"to":1}' },
    ])
  })

  it('are other calls where another id comes under the same index', () => {
    const calls = collect([
      { id: 'a', name: 'look', arguments: '{}' },
      { id: 'b', name: 'look', arguments: '{}' },
    ])
    expect(calls.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('may say nothing for nothing, and get an id where they have none', () => {
    expect(collect([{ name: 'look' }])).toEqual([{ id: 'call-1', name: 'look', arguments: '{}' }])
  })

  it.each([
    ['in its arguments', { index: 1, id: 'b', name: 'go', arguments: '{"to":' }],
    ['before its arguments', { index: 1, id: 'b', name: 'go' }],
    ['in its name', { index: 1, id: 'b', arguments: '' }],
  ])('end with the last whole one where the length cuts the next %s', (_, half) => {
    expect(collect([half], true)).toEqual([])
    const whole = { id: 'a', name: 'look', arguments: '{}' }
    expect(collect([whole, half], true)).toEqual([whole])
    expect(collect([whole], true)).toEqual([whole])
  })

  it.each([
    ['without a name', [{ id: 'a', arguments: '{}' }], false],
    ['that says a list', [{ id: 'a', name: 'look', arguments: '[1]' }], false],
    [
      'before one that the length has cut',
      [
        { name: 'a', arguments: '{' },
        { index: 1, name: 'b', arguments: '{' },
      ],
      true,
    ],
    [
      'beside a whole one',
      [
        { name: 'a', arguments: '{}' },
        { index: 1, name: 'b', arguments: '{' },
      ],
      false,
    ],
  ])('are no calls at all where one is %s', (_, pieces, isCut) => {
    expect(() => collect(pieces, isCut)).toThrow('model/bad-response')
  })
})
