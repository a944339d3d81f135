import { novelPromptGroups } from './novel-prompts.ts'
import { shellGroups } from './shell.ts'
import { speculationGroups } from './speculation.ts'
import { suggestionGroups } from './suggestions.ts'
import type { VectorGroup } from './vector-group.ts'

/** Every group that can be run; a new vector file adds its groups here. */
export const vectorGroups: VectorGroup[] = [
  ...novelPromptGroups,
  ...shellGroups,
  ...speculationGroups,
  ...suggestionGroups,
]
