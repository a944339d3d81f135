import { z } from 'zod'
import { AttachedImage, ImageType } from '../domain/image/attached-image.ts'
import { ReferenceCandidate } from '../domain/session/file-reference.ts'
import { isTooLong, UnsentEvent, UnsentMessage } from '../domain/session/message-segment.ts'
import { call, stream } from './method.ts'

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

const InWork = z.object({ workId: z.string() })

export const referenceContract = {
  /**
   * Returns files and folders for the text after an `@`, best first: how well the path fits, then names that begin
   * with it, then those used last or open, then the shorter.
   *
   * Shape: `openPaths` of the window's tabs, last used first. `isComplete` false: the folder is still being read.
   */
  'reference.complete': call(
    InWork.extend({
      query: z.string().max(500),
      limit: z.int().min(1).max(100).default(20),
      openPaths: z.array(z.string()).max(200).default([]),
    }),
    z.object({ candidates: z.array(ReferenceCandidate), isComplete: z.boolean() }),
  ),
  /** Refreshes the candidates; called when the window gets the focus again. */
  'reference.refresh': call(InWork, z.object({})),
}

/** Messages that are being written: the host keeps them, so that they outlast a window. */
export const unsentContract = {
  /** Sends all messages of the folder, then each change, those from this window too. */
  'unsent.watch': stream(InWork, UnsentEvent),
  /** Stores a message; the last writer wins. Without segments it is removed. Errors: `session/not-found`. */
  'unsent.keep': call(
    InWork.extend({ message: UnsentMessage.refine(({ segments }) => !isTooLong(segments)) }),
    z.object({ seq: z.int() }),
  ),
}
