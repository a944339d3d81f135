import { z } from 'zod'
import { ErrorInfo } from '../../errors.ts'

/** The uses of a model of the catalogue: continuing prose, working on code, calling tools natively. */
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
  /** Null: the file is checked against the hash that the server reports. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  sizeBytes: z.int().positive(),
  memoryBytes: z.int().positive(),
})
export type CatalogueModel = z.infer<typeof CatalogueModel>

/**
 * The state of a download. `absent`: no part of the file is on this machine. `paused`: a part is, and is kept through
 * restarts. `ready`: the file is complete. `failed`: the bytes that arrived, if any, are kept (`receivedBytes`).
 */
const DownloadState = z.enum(['absent', 'preparing', 'fetching', 'checking', 'paused', 'failed', 'ready'])

export const ModelDownload = z.object({
  modelId: z.string(),
  state: DownloadState,
  /** Units: bytes of the download; while the file is checked, the bytes of it that were read for the check. */
  receivedBytes: z.number(),
  totalBytes: z.number(),
  /** Null: not known yet. */
  bytesPerSecond: z.number().nullable(),
  /** False where the server cannot send the rest of a file: after a pause the download starts from the beginning. */
  canResume: z.boolean(),
  /** The complete file; null until it is on this machine. */
  file: z.string().nullable(),
  error: ErrorInfo.nullable(),
})
export type ModelDownload = z.infer<typeof ModelDownload>

/** The catalogue with its downloads, and the memory and disk space of this machine. Units: bytes. */
export const CatalogueStatus = z.object({
  models: z.array(CatalogueModel),
  downloads: z.array(ModelDownload),
  memoryBytes: z.number(),
  /** Null: the system does not report it. */
  freeDiskBytes: z.number().nullable(),
  /** The address that serves the files: Hugging Face, or the configured mirror. */
  hub: z.string(),
  /** Why the user's own list beside the app's could not be read; null where it was read, or does not exist. */
  ownListProblem: z.string().nullable(),
})
export type CatalogueStatus = z.infer<typeof CatalogueStatus>

export function isDownloading({ state }: Pick<ModelDownload, 'state'>): boolean {
  return state === 'preparing' || state === 'fetching' || state === 'checking'
}

/** Tells whether a model needs more memory, or more free disk space, than this machine has. */
export function misfitOf(
  model: Pick<CatalogueModel, 'sizeBytes' | 'memoryBytes'>,
  download: Pick<ModelDownload, 'state' | 'receivedBytes'> | undefined,
  machine: Pick<CatalogueStatus, 'memoryBytes' | 'freeDiskBytes'>,
): { memory: boolean; disk: boolean } {
  // A file that is checked is whole; its `receivedBytes` are then those that were read for the check.
  const isHere = download?.state === 'ready' || download?.state === 'checking'
  const leftBytes = model.sizeBytes - (download?.receivedBytes ?? 0)
  return {
    memory: model.memoryBytes > machine.memoryBytes,
    disk: !isHere && machine.freeDiskBytes !== null && leftBytes > machine.freeDiskBytes,
  }
}

/** A small model that the app can fetch for a machine that has none. */
export const StarterModel = z.object({
  starterId: z.string(),
  name: z.string(),
  sizeBytes: z.number(),
  languages: z.array(z.enum(['ja', 'en'])),
  licence: z.string(),
  /** Key of the terms in `resources/terms`, where they must be accepted first. */
  termsId: z.string().nullable(),
})
export type StarterModel = z.infer<typeof StarterModel>

export const StarterStatus = z.object({
  models: z.array(StarterModel),
  state: z.enum(['idle', 'offered', 'preparing', 'fetching', 'checking', 'ready', 'failed', 'cancelled']),
  starterId: z.string().nullable(),
  receivedBytes: z.number(),
  totalBytes: z.number(),
  error: ErrorInfo.nullable(),
})
export type StarterStatus = z.infer<typeof StarterStatus>
