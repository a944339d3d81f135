import type { PromptId, PromptInputs } from './prompt-ids.ts'
import type { OutcomeWords, SituationWords, SurroundingsWords } from './prompt-words.ts'

export type Language = 'ja' | 'en'

/** All texts of ours that a session's model reads, in one language. */
export type AgentPrompts = {
  render<Id extends PromptId>(id: Id, inputs: PromptInputs<Id>): string
  outcomes: OutcomeWords
  situation: SituationWords
  surroundings: SurroundingsWords
  /** The free texts of a decision's example. */
  decision: Record<string, string>
}
