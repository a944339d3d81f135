import type { imageContract } from '../../shared/contract/image.ts'
import type { Api } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { readImageHeader } from '../images/image-header.ts'
import type { ImageStore } from '../images/image-store.ts'

/** Creates the API of the images of messages and results. */
export function createImageApi(
  images: Pick<ImageStore, 'keep' | 'read'>,
): Pick<Api, keyof typeof imageContract> {
  return {
    'image.add': async ({ name, data }) => ({ image: await images.keep(Buffer.from(data, 'base64'), name) }),
    async 'image.get'({ imageId }) {
      const bytes = await images.read(imageId)
      const header = readImageHeader(bytes)
      if (header === null) throw new AppError({ code: 'file/not-found', path: imageId })
      return { mediaType: header.mediaType, data: bytes.toString('base64') }
    },
  }
}
