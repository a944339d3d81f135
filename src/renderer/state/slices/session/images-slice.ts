import { AppError } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { base64Of, scaledImage } from './scaled-image.ts'

/** Images that the page keeps at once. */
const limitKept = 50

/** Images of messages: what is added to one, and what is shown. */
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
    /**
     * Gives a pasted or dropped image to the host, scaled down where it is large. Null where that failed; why stands
     * beside the message box.
     */
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
