import { z } from 'zod'
import { LoreCandidate, LoreEntry, LoreSettings } from '../domain/work/lore.ts'
import { patchOf } from '../domain/work/patch.ts'
import { call } from './method.ts'

const InWork = z.object({ workId: z.string() })

export const loreContract = {
  /** The lore entries of a work, and its materials that are none yet. */
  'lore.list': call(InWork, z.object({ entries: z.array(LoreEntry), candidates: z.array(LoreCandidate) })),
  /** Writes settings into a material's front matter; what was no entry becomes one. Errors: `file/…`. */
  'lore.update': call(
    InWork.extend({ path: z.string(), patch: patchOf(LoreSettings) }),
    z.object({ entry: LoreEntry }),
  ),
}
