import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readServerEvents } from './server-events.ts'

const Event = z.object({ token: z.string() })

async function read(pieces: readonly (string | Uint8Array)[]): Promise<string[]> {
  async function* bytes() {
    for (const piece of pieces) yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece
  }
  const tokens: string[] = []
  const events = readServerEvents(bytes(), Event, (reason) => new Error(reason))
  for await (const { token } of events) tokens.push(token)
  return tokens
}

const event = (token: string) => `event: message\ndata: {"token": "${token}"}\n\n`

describe('readServerEvents', () => {
  it('puts events together from pieces of any size', async () => {
    const text = event('\\u543e') + event('\\ud83d\\ude00') + event('')
    expect(await read([text])).toEqual(['吾', '😀', ''])
    expect(await read([...text])).toEqual(['吾', '😀', ''])
    const bytes = new TextEncoder().encode(event('雨'))
    expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(['雨'])
  })

  it('takes other line ends, and skips comments and the mark of the end', async () => {
    const crlf = event('猫').replaceAll('\n', '\r\n')
    expect(await read([': ping\n\n', crlf, event('。'), 'data: [DONE]\n\n'])).toEqual(['猫', '。'])
  })

  it('leaves out an event that was cut, in the middle of a character, too', async () => {
    const bytes = new TextEncoder().encode(event('雨'))
    for (let length = 0; length < bytes.length; length += 1) {
      expect(await read([bytes.slice(0, length)])).toEqual([])
      expect(await read([event('a'), bytes.slice(0, length)])).toEqual(['a'])
    }
    expect(await read([])).toEqual([])
  })

  it('calls garbage garbage', async () => {
    await expect(read(['data: {"token": ???\n\n'])).rejects.toThrow('no JSON')
    await expect(read(['data: {"token": 5}\n\n'])).rejects.toThrow('another kind')
    await expect(read(['<html>busy</html>'])).rejects.toThrow('no event')
    await expect(read(['x'.repeat(1_000_001)])).rejects.toThrow('without end')
  })
})
