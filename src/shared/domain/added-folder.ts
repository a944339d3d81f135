import { z } from 'zod'

/** A folder beside its own that a session works in too. Shape: `path` is a real one. */
export const AddedFolder = z.object({ path: z.string(), isTrusted: z.boolean() })
export type AddedFolder = z.infer<typeof AddedFolder>

/**
 * Why a folder cannot be added. `root`: the whole disk; `home`: the home folder itself or what holds it; `app-data`:
 * the app's own, or what holds it; `secret`: a place of keys; `inside`: the session works there already; `missing`:
 * there is no such folder.
 */
export const FolderProblem = z.enum(['root', 'home', 'system', 'app-data', 'secret', 'inside', 'missing'])
export type FolderProblem = z.infer<typeof FolderProblem>

/** The folder that would have to be added for a path to be reached; with a problem it cannot be. */
export const FolderOffer = z.object({ path: z.string(), problem: FolderProblem.nullable() })
export type FolderOffer = z.infer<typeof FolderOffer>

/** What the user is asked about before a folder is added. */
export const FolderAssessment = FolderOffer.extend({ isTrusted: z.boolean() })
export type FolderAssessment = z.infer<typeof FolderAssessment>
