import { z } from 'zod'
import { FolderProblem } from '../../errors.ts'

/** A folder beside its own that a session works in too. Shape: `path` is a real one. */
export const AddedFolder = z.object({ path: z.string(), isTrusted: z.boolean() })
export type AddedFolder = z.infer<typeof AddedFolder>

/** The folder that would have to be added for a path to be reached; with a problem it cannot be. */
export const FolderOffer = z.object({ path: z.string(), problem: FolderProblem.nullable() })
export type FolderOffer = z.infer<typeof FolderOffer>

/** What the user is asked about before a folder is added. */
export const FolderAssessment = FolderOffer.extend({ isTrusted: z.boolean() })
export type FolderAssessment = z.infer<typeof FolderAssessment>
