import { z } from 'zod'
import { stream } from '../../../shared/contract/method.ts'

/** What the process of a download is told. Shape: `folder` is an absolute path, `file` a name in it. */
export const DownloadOrder = z.object({
  uri: z.string(),
  hub: z.string(),
  folder: z.string(),
  file: z.string(),
})
export type DownloadOrder = z.infer<typeof DownloadOrder>

/** How far it is; `whole` comes last. Units: bytes. */
export const DownloadStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fetching'), receivedBytes: z.number(), totalBytes: z.number() }),
  z.object({ kind: z.literal('checking'), receivedBytes: z.number(), totalBytes: z.number() }),
  z.object({ kind: z.literal('whole'), sizeBytes: z.number(), sha256: z.string() }),
])
export type DownloadStep = z.infer<typeof DownloadStep>

/** What the process of a download can be asked. */
export const downloadContract = { 'download.run': stream(DownloadOrder, DownloadStep) }
