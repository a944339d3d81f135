import { describe, expect, it } from 'vitest'
import { correctedText, type KoboldStreamEvent, readKoboldStream } from './kobold-run.ts'

async function read(pieces: string[]): Promise<KoboldStreamEvent[]> {
  async function* bytes() {
    for (const piece of pieces) yield new TextEncoder().encode(piece)
  }
  const events: KoboldStreamEvent[] = []
  for await (const event of readKoboldStream(bytes(), (reason) => new Error(reason))) events.push(event)
  return events
}

const event = (token: string, finish: string) =>
  `event: message\ndata: {"token": "${token}", "finish_reason": ${finish}}\n\n`

describe('readKoboldStream', () => {
  it('puts events together from pieces of any size', async () => {
    const text = event('\\u543e', '"null"') + event('\\ud83d\\ude00', '"null"') + event('', '"length"')
    const wanted = [
      { token: '吾', finish: null },
      { token: '😀', finish: null },
      { token: '', finish: 'length' },
    ]
    expect(await read([text])).toEqual(wanted)
    expect(await read([...text])).toEqual(wanted)
  })

  it('takes the null of newer servers, other line ends and raw characters', async () => {
    expect(await read([event('猫', 'null').replaceAll('\n', '\r\n'), event('。', '"stop"')])).toEqual([
      { token: '猫', finish: null },
      { token: '。', finish: 'stop' },
    ])
  })

  it('ends with the finish reason, whatever follows', async () => {
    expect(await read([event('a', '"stop"'), event('b', '"null"')])).toHaveLength(1)
    expect(await read([event('a', '"null"')])).toEqual([{ token: 'a', finish: null }])
  })

  it('calls garbage garbage', async () => {
    await expect(read(['data: {"token": ???\n\n'])).rejects.toThrow('no JSON')
    await expect(read(['data: {"token": 5}\n\n'])).rejects.toThrow('another kind')
    await expect(read(['<html>busy</html>'])).rejects.toThrow('no event')
    await expect(read(['x'.repeat(1_000_001)])).rejects.toThrow('without end')
  })
})

describe('correctedText', () => {
  it('puts lost characters back, and only those', () => {
    expect(correctedText('ー終', 'ーヂ終', false)).toBe('ーヂ終')
    expect(correctedText('猫', '', false)).toBe('猫')
    expect(correctedText('猫は', '犬が', false)).toBe('猫は')
  })

  it('gives a stopped text no more than was shown', () => {
    expect(correctedText('ー終', 'ーヂ終わり。', true)).toBe('ーヂ終')
    expect(correctedText('', '雨', true)).toBe('')
  })
})
