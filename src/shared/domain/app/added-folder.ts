import { z } from 'zod'
import { FolderProblem } from '../../errors.ts'

/** A folder that a session works in besides its own. Shape: `path` is the real path. */
export const AddedFolder = z.object({ path: z.string(), isTrusted: z.boolean() })
export type AddedFolder = z.infer<typeof AddedFolder>

/** The folder to add so that a path can be reached. With a `problem` it cannot be added. */
export const FolderOffer = z.object({ path: z.string(), problem: FolderProblem.nullable() })
export type FolderOffer = z.infer<typeof FolderOffer>

/** The folder as the user is asked about it before it is added. */
export const FolderAssessment = FolderOffer.extend({ isTrusted: z.boolean() })
export type FolderAssessment = z.infer<typeof FolderAssessment>
