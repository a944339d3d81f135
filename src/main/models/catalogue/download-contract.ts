import { z } from 'zod'
import { stream } from '../../../shared/contract/method.ts'

/** The request to the process of a download. Shape: `folder` is an absolute path, `file` a name in it. */
export const DownloadOrder = z.object({
  uri: z.string(),
  hub: z.string(),
  folder: z.string(),
  file: z.string(),
})
export type DownloadOrder = z.infer<typeof DownloadOrder>

/** The progress of a download; `whole` comes last. Units: bytes. */
export const DownloadStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fetching'), receivedBytes: z.number(), totalBytes: z.number() }),
  z.object({ kind: z.literal('checking'), receivedBytes: z.number(), totalBytes: z.number() }),
  z.object({ kind: z.literal('whole'), sizeBytes: z.number(), sha256: z.string() }),
])
export type DownloadStep = z.infer<typeof DownloadStep>

/** The requests that the process of a download answers. */
export const downloadContract = { 'download.run': stream(DownloadOrder, DownloadStep) }
