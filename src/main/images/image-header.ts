import type { ImageType } from '../../shared/domain/image/attached-image.ts'

/** Format and size from the first bytes of an image. Units: pixels. */
export type ImageHeader = { mediaType: ImageType; width: number; height: number }

/** Reads format and size from an image's bytes. Null: not a PNG, JPEG, GIF or WebP, or one without a size. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const header = pngHeader(view) ?? gifHeader(view) ?? webpHeader(view) ?? jpegHeader(view)
  return header !== null && header.width > 0 && header.height > 0 ? header : null
}

/** Source: PNG specification, "IHDR". */
function pngHeader(view: DataView): ImageHeader | null {
  if (view.byteLength < 24 || textAt(view, 0, 8) !== '\x89PNG\r\n\x1a\n' || textAt(view, 12, 4) !== 'IHDR')
    return null
  return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
}

/** Source: GIF89a, "Logical Screen Descriptor". */
function gifHeader(view: DataView): ImageHeader | null {
  if (view.byteLength < 10 || !/^GIF8[79]a$/.test(textAt(view, 0, 6))) return null
  return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

/** Source: RFC 9649, "WebP Image Format". */
function webpHeader(view: DataView): ImageHeader | null {
  if (view.byteLength < 30 || textAt(view, 0, 4) !== 'RIFF' || textAt(view, 8, 4) !== 'WEBP') return null
  const mediaType = 'image/webp'
  switch (textAt(view, 12, 4)) {
    case 'VP8 ':
      return {
        mediaType,
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { mediaType, width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
    default:
      return null
  }
}

/** Source: ITU T.81, "SOF" markers: all of C0 to CF but C4, C8 and CC. */
function jpegHeader(view: DataView): ImageHeader | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null
  let at = 2
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { mediaType: 'image/jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    else at += 2 + view.getUint16(at + 2)
  }
  return null
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}

function textAt(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, length))
}
