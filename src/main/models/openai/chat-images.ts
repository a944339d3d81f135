import { isAppError } from '../../../shared/errors.ts'
import type { ChatImage, ChatMessage } from '../client/model-client.ts'

/** The bytes of images as base64, by their ids. */
export type ReadImages = ReadonlyMap<string, string>

export const noImages: ReadImages = new Map()

/** Reads the images of a conversation, each once. Images that are not stored any more are left out. */
export async function readImages(messages: readonly ChatMessage[]): Promise<ReadImages> {
  const read = new Map<string, string>()
  for (const message of messages) {
    if (message.role !== 'user') continue
    for (const image of message.images ?? []) {
      if (read.has(image.imageId)) continue
      try {
        read.set(image.imageId, await image.read())
      } catch (error) {
        if (!isAppError(error)) throw error
      }
    }
  }
  return read
}

/** Returns images in the API's form. Source: OpenAI's "Images and vision", `image_url` with a data URL. */
export function imageParts(images: readonly ChatImage[], read: ReadImages): Record<string, unknown>[] {
  return images.flatMap(({ imageId, mediaType }) => {
    const data = read.get(imageId)
    return data === undefined
      ? []
      : [{ type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } }]
  })
}
