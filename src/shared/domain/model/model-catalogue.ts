import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'

/** What a model of the catalogue can be used for: continuing prose, working on code, calling tools by itself. */
const ModelUse = z.enum(['prose', 'code', 'tools'])

/**
 * A model that can be downloaded.
 *
 * Units: `sizeBytes` and `memoryBytes` are bytes, `memoryBytes` with a context window of about 8,000 tokens;
 * `parameters` are billions.
 */
export const CatalogueModel = z.object({
  modelId: z.string().regex(/^[a-z0-9.-]{1,80}$/),
  name: z.string().trim().min(1).max(200),
  parameters: z.number().positive(),
  languages: z.array(z.enum(['ja', 'en'])),
  uses: z.array(ModelUse),
  licence: z.string().min(1).max(200),
  licenceUrl: z.url({ protocol: /^https$/ }),
  /** Key of the terms in `resources/terms`, where they must be accepted first. */
  termsId: z.string().nullable(),
  /** Source: node-llama-cpp's model URIs, the form that names one file: `hf:<user>/<model>/<file>[#<branch>]`. */
  hf: z.string().regex(/^hf:[\w.-]+\/[\w.-]+\/[\w.-]+\.gguf(#[\w.-]+)?$/),
  /** Null: the hash that the server tells is held against the file. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  sizeBytes: z.int().positive(),
  memoryBytes: z.int().positive(),
})
export type CatalogueModel = z.infer<typeof CatalogueModel>

/**
 * `absent`: nothing of it is here. `paused`: a part is, and is kept through restarts. `ready`: the file is whole.
 * `failed` keeps what came, if anything did (`receivedBytes`).
 */
const DownloadState = z.enum(['absent', 'preparing', 'fetching', 'checking', 'paused', 'failed', 'ready'])

/** How far the download of a model is. */
export const ModelDownload = z.object({
  modelId: z.string(),
  state: DownloadState,
  /** Units: bytes of the download; while it is checked, of the file that was read for it. */
  receivedBytes: z.number(),
  totalBytes: z.number(),
  /** Null: not known yet. */
  bytesPerSecond: z.number().nullable(),
  /** False where the server cannot send the rest of a file: a pause begins anew. */
  canResume: z.boolean(),
  /** The whole file, once it is here. */
  file: z.string().nullable(),
  error: ErrorInfo.nullable(),
})
export type ModelDownload = z.infer<typeof ModelDownload>

/** The catalogue with what of it is here, and what this machine has room for. Units: bytes. */
export const CatalogueStatus = z.object({
  models: z.array(CatalogueModel),
  downloads: z.array(ModelDownload),
  memoryBytes: z.number(),
  /** Null: the system does not say. */
  freeDiskBytes: z.number().nullable(),
  /** Where the files come from: Hugging Face, or the mirror that the host was told. */
  hub: z.string(),
  /** Why the user's own list beside the app's could not be read; null where there is none, or it could. */
  ownListProblem: z.string().nullable(),
})
export type CatalogueStatus = z.infer<typeof CatalogueStatus>

export function isDownloading({ state }: Pick<ModelDownload, 'state'>): boolean {
  return state === 'preparing' || state === 'fetching' || state === 'checking'
}

/** What of a model does not fit this machine. */
export function misfitOf(
  model: Pick<CatalogueModel, 'sizeBytes' | 'memoryBytes'>,
  download: Pick<ModelDownload, 'state' | 'receivedBytes'> | undefined,
  machine: Pick<CatalogueStatus, 'memoryBytes' | 'freeDiskBytes'>,
): { memory: boolean; disk: boolean } {
  const isHere = download?.state === 'ready'
  const leftBytes = model.sizeBytes - (download?.receivedBytes ?? 0)
  return {
    memory: model.memoryBytes > machine.memoryBytes,
    disk: !isHere && machine.freeDiskBytes !== null && leftBytes > machine.freeDiskBytes,
  }
}
