import { z } from 'zod'

/** The formats that every API for images takes. */
export const ImageType = z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
export type ImageType = z.infer<typeof ImageType>

/**
 * An image of a message or a tool's result. The host keeps its bytes.
 *
 * Shape: `imageId` is the SHA-256 of the bytes; `name` is a path in the folder, or a name for the user. Units: pixels,
 * bytes.
 */
export const AttachedImage = z.object({
  imageId: z.string().regex(/^[0-9a-f]{64}$/),
  mediaType: ImageType,
  name: z.string().min(1).max(1000),
  width: z.int().min(1),
  height: z.int().min(1),
  sizeBytes: z.int().min(1),
})
export type AttachedImage = z.infer<typeof AttachedImage>

/** The largest image accepted. Source: Anthropic's API takes 5 MB of base64 for each image. Units: bytes. */
export const limitImageBytes = 3_600_000
/** Source: Anthropic's API refuses an image with a longer edge. Units: pixels. */
export const limitImageEdge = 8_000
export const limitImages = 10
/** A pasted image is scaled down to this longest edge: services scale larger ones themselves. Units: pixels. */
export const sentImageEdge = 1_568

/**
 * Estimates how much of the context an image takes: no API counts images before they are sent.
 *
 * Units: tokens. Source: Anthropic's "Vision", width × height / 750; other models take less for most sizes.
 */
export function imageTokens({ width, height }: Pick<AttachedImage, 'width' | 'height'>): number {
  const scale = Math.min(1, sentImageEdge / Math.max(width, height))
  return Math.max(1, Math.ceil((width * scale * height * scale) / 750))
}

/** Returns the text that people and models read in place of an image. */
export function imageName({ name }: Pick<AttachedImage, 'name'>): string {
  return `[Image: ${name}]`
}

/** Returns the line that the model reads beside an image. */
export function imageLine({ name, width, height }: Pick<AttachedImage, 'name' | 'width' | 'height'>): string {
  return `[Image: ${name}, ${width}×${height}]`
}
