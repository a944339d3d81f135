import { sentImageEdge } from '../../../../shared/domain/image/attached-image.ts'
import { AppError } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

const limitKept = 50
/** Limit under which an image is sent as it is, where nothing else has to be changed. Units: bytes. */
const plainBytes = 1_500_000
/** A drawn image that is larger as PNG becomes JPEG. Units: bytes. */
const limitPngBytes = 1_000_000
const sentTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

export function createImagesSlice({ client, get, patch }: SliceContext) {
  /** In order of their first use. */
  const kept = new Map<string, Promise<string | null>>()

  async function load(imageId: string): Promise<string | null> {
    try {
      const { mediaType, data } = await client['image.get']({ imageId })
      return `data:${mediaType};base64,${data}`
    } catch (error) {
      kept.delete(imageId)
      if (infoOf(error).code === 'file/not-found') return null
      throw error
    }
  }

  return {
    /** Gives an image to the host, scaled down if large. Null: failed, told beside the message box. */
    async add(file: File, name: string) {
      patch('composer', { failure: null })
      try {
        const { status } = get().models
        if (status.canTakeImages === false && status.modelName !== null)
          throw new AppError({ code: 'model/no-images', modelName: status.modelName })
        const blob = await scaledImage(file).catch((error: unknown) => {
          throw new AppError({ code: 'image/unreadable', name }, { cause: error })
        })
        const { image } = await client['image.add']({ name, data: await base64Of(blob) })
        return image
      } catch (error) {
        patch('composer', { failure: infoOf(error) })
        return null
      }
    },
    /** Returns the address of an image; null where the host no longer has it. */
    address(imageId: string) {
      const known = kept.get(imageId)
      if (known !== undefined) return known
      const loading = load(imageId)
      kept.set(imageId, loading)
      const [oldest] = kept.keys()
      if (kept.size > limitKept && oldest !== undefined) kept.delete(oldest)
      return loading
    },
  }
}

/**
 * Returns the image as it is sent: scaled down where it is larger than a model looks at, in a format that every service
 * takes.
 *
 * Errors: rejects where the browser cannot draw it.
 */
async function scaledImage(file: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(file)
  try {
    const scale = Math.min(1, sentImageEdge / Math.max(bitmap.width, bitmap.height))
    if (scale === 1 && file.size <= plainBytes && sentTypes.includes(file.type)) return file
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(bitmap.width * scale))
    canvas.height = Math.max(1, Math.round(bitmap.height * scale))
    if (file.type !== 'image/jpeg') {
      const png = await drawn(canvas, bitmap, 'image/png')
      if (png.size <= limitPngBytes) return png
    }
    return await drawn(canvas, bitmap, 'image/jpeg')
  } finally {
    bitmap.close()
  }
}

async function drawn(
  canvas: HTMLCanvasElement,
  bitmap: ImageBitmap,
  type: 'image/png' | 'image/jpeg',
): Promise<Blob> {
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('no canvas')
  // JPEG has no transparency: what shows through would be black.
  context.fillStyle = '#fff'
  context.clearRect(0, 0, canvas.width, canvas.height)
  if (type === 'image/jpeg') context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  const { promise, resolve } = Promise.withResolvers<Blob | null>()
  canvas.toBlob(resolve, type, 0.85)
  const blob = await promise
  if (blob === null) throw new Error('no image')
  return blob
}

async function base64Of(blob: Blob): Promise<string> {
  const reader = new FileReader()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  reader.onload = () => resolve(String(reader.result))
  reader.onerror = () => reject(reader.error)
  reader.readAsDataURL(blob)
  const address = await promise
  return address.slice(address.indexOf(',') + 1)
}
