import {
  type AttachedImage,
  limitImageBytes,
  limitImageEdge,
} from '../../shared/domain/image/attached-image.ts'
import { AppError } from '../../shared/errors.ts'
import { contentHash } from '../platform/files/content-hash.ts'
import type { CheckpointStore } from '../workspace/checkpoint-store.ts'
import { readImageHeader } from './image-header.ts'

/** Stores the bytes of images in messages and results, by content. */
export type ImageStore = ReturnType<typeof createImageStore>

export function createImageStore(deps: {
  files: CheckpointStore
  /** Ids of all images that are referred to. */
  inUse(): ReadonlySet<string>
}) {
  const { files } = deps
  return {
    /** Errors: `image/unreadable`, `image/too-large`, `file/disk-full`. */
    async keep(bytes: Uint8Array, name: string): Promise<AttachedImage> {
      const header = readImageHeader(bytes)
      if (header === null) throw new AppError({ code: 'image/unreadable', name })
      const { mediaType, width, height } = header
      if (bytes.length > limitImageBytes || Math.max(width, height) > limitImageEdge)
        throw new AppError({
          code: 'image/too-large',
          name,
          sizeBytes: bytes.length,
          limitBytes: limitImageBytes,
          width,
          height,
          limitEdge: limitImageEdge,
        })
      const imageId = contentHash(bytes)
      await files.putAll([bytes])
      return { imageId, mediaType, name, width, height, sizeBytes: bytes.length }
    },
    /** Errors: `file/not-found`. */
    read: (imageId: string): Promise<Buffer> => files.get(imageId),
    /** Removes images that no session and no unsent message refers to any more. */
    async sweep(): Promise<void> {
      await files.sweep(deps.inUse())
    },
  }
}
