import { z } from 'zod'
import { TextEncoding } from '../work/text-encoding.ts'

/**
 * Why a file that a message names could not be attached.
 *
 * `encoding`: the file decodes as two encodings. `no-images`: the file is an image, and the model in use takes none.
 * `refused`: a secret that the user did not allow. `io`: not a regular file, or one that the system would not read.
 * Source: `docs/decisions/references.md`; each has its sentence in `i18n`, key `reference.failed.<code>`.
 */
export const ReferenceFailure = z.enum([
  'out-of-scope',
  'not-found',
  'binary',
  'encoding',
  'no-images',
  'is-broken-link',
  'out-of-range',
  'refused',
  'io',
])
export type ReferenceFailure = z.infer<typeof ReferenceFailure>

/** Why the system would not read a file: details of the failure `io`. */
export const ReferenceTrouble = z.enum(['not-regular', 'denied', 'too-large', 'failed'])
export type ReferenceTrouble = z.infer<typeof ReferenceTrouble>

/**
 * The user's answers about the files that a message names.
 *
 * Shape: `allowSecrets` lists the secrets that may be sent, the others are refused; absent: not asked yet.
 * `encodings` is for files that decode as two. Both use the paths of the question.
 */
export const ReferenceAnswers = z.object({
  allowSecrets: z.array(z.string()).max(1000).optional(),
  encodings: z.record(z.string(), TextEncoding).optional(),
})
export type ReferenceAnswers = z.infer<typeof ReferenceAnswers>

/** Stands for the hash of a file that no longer exists. */
export const goneHash = 'gone'

/** The lines that the model was given of a file. Shape: `path` is the real one. Units: lines from 1; both 0: none. */
export const KnownFile = z.object({
  path: z.string(),
  hash: z.string(),
  from: z.int().min(0),
  to: z.int().min(0),
})
export type KnownFile = z.infer<typeof KnownFile>

/** A candidate of completion. Shape: `path` is relative to the folder; that of a folder ends with `/`. */
export const ReferenceCandidate = z.object({ path: z.string(), kind: z.enum(['file', 'folder']) })
export type ReferenceCandidate = z.infer<typeof ReferenceCandidate>
