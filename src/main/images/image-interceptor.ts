import { type AttachedImage, imageLine, limitImages } from '../../shared/domain/image/attached-image.ts'
import { AppError } from '../../shared/errors.ts'
import type { ModelService } from '../models/model-service.ts'
import type { SubmitInterceptor, SubmitItem } from '../sessions/prompt-submit.ts'
import type { ImageStore } from './image-store.ts'

type ActiveModels = Pick<ModelService, 'active'>

/**
 * Puts the images of a message behind it. Refuses a message that the model in use cannot accept, before any part of it
 * is sent.
 *
 * Errors of a submit: `model/no-images`, `image/too-many`, `model/none`.
 */
export function createImageInterceptor(models: ActiveModels): SubmitInterceptor {
  return {
    name: 'images',
    async onPromptSubmit({ segments, signal }) {
      const images = segments.flatMap((segment) => (segment.kind === 'image' ? [segment.image] : []))
      if (images.length === 0) return { kind: 'continue' }
      if (images.length > limitImages) throw new AppError({ code: 'image/too-many', limit: limitImages })
      const { takesImages, modelName } = await seeingModel(models, signal)
      if (!takesImages) throw new AppError({ code: 'model/no-images', modelName })
      return { kind: 'continueWith', items: images.map(itemOf) }
    },
  }
}

/** Returns the store of images; null where the model in use takes none. Errors: `model/none`. */
export async function imagesFor(models: ActiveModels, images: ImageStore): Promise<ImageStore | null> {
  return (await seeingModel(models, new AbortController().signal)).takesImages ? images : null
}

async function seeingModel(models: ActiveModels, signal: AbortSignal) {
  const { client, modelName } = await models.active(signal)
  await client.learn?.(signal)
  return { takesImages: client.capabilities.hasImages === true, modelName }
}

function itemOf(image: AttachedImage): SubmitItem {
  const text = imageLine(image)
  return {
    item: {
      kind: 'file',
      path: image.name,
      range: null,
      what: 'file',
      state: 'ok',
      text,
      sizeBytes: image.sizeBytes,
      isCut: false,
      isUnsaved: false,
      encodings: [],
      trouble: null,
      image,
    },
    entry: { role: 'user', kind: 'file', text, images: [image] },
  }
}
