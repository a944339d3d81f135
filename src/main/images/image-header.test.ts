import { describe, expect, it } from 'vitest'
import { readImageHeader } from './image-header.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  )
const filled = (start: Buffer) => Buffer.concat([start, Buffer.alloc(40)])

describe('the header of an image', () => {
  it.each([
    ['image/png', bytes([0x89], 'PNG\r\n', [0x1a, 0x0a, 0, 0, 0, 13], 'IHDR', [0, 0, 1, 0x2c, 0, 0, 0, 200])],
    ['image/gif', bytes('GIF89a', [0x2c, 1, 200, 0])],
    [
      'image/webp',
      bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0x2c, 1, 200, 0]),
    ],
    ['image/webp', bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [0, 0, 0, 0, 0, 0, 0, 0, 0x2b, 1, 0, 199, 0, 0])],
    ['image/webp', bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8L', [0, 0, 0, 0, 0x2f, 0x2b, 0xc1, 0x31, 0])],
    ['image/jpeg', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8, 0, 200, 1, 0x2c])],
  ])('says format and size: %s', (mediaType, start) => {
    expect(readImageHeader(filled(start))).toEqual({ mediaType, width: 300, height: 200 })
  })

  it.each([
    ['text', Buffer.from('これは画像ではない')],
    ['nothing', Buffer.alloc(0)],
    ['a vector image', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a JPEG without a size', filled(bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4]))],
    ['a text that looks like a PNG', filled(bytes('# PNG notes:IHDR', [0, 0, 1, 0, 0, 0, 1, 0]))],
    ['a cut PNG', bytes([0x89], 'PNG\r\n')],
    ['an image without an area', filled(bytes('GIF89a', [0, 0, 0, 0]))],
  ])('is none: %s', (_name, given) => expect(readImageHeader(given)).toBeNull())
})
