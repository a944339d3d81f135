import { z } from 'zod'
import { AttachedImage, ImageType } from '../domain/image/attached-image.ts'
import { call } from './method.ts'

/** Images of messages. Bytes travel as base64. */
export const imageContract = {
  /** Stores an image for a message. Errors: `image/unreadable`, `image/too-large`. */
  'image.add': call(
    z.object({ name: AttachedImage.shape.name, data: z.base64().max(6_000_000) }),
    z.object({ image: AttachedImage }),
  ),
  /** Errors: `file/not-found`. */
  'image.get': call(
    AttachedImage.pick({ imageId: true }),
    z.object({ mediaType: ImageType, data: z.base64() }),
  ),
}
