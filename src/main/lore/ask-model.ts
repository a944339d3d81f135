import { z } from 'zod'
import type { ModelUsage } from '../../shared/domain/model/model-status.ts'
import type { Random } from '../deps.ts'
import type { DocumentService } from '../documents/document-service.ts'
import type { Constraint, Priority, Prompt } from '../models/client/model-client.ts'
import { splitThinking } from '../models/completion/think-tags.ts'
import type { ActiveModel } from '../models/profiles/active-model.ts'
import type { WorkService } from '../workspace/work/work-service.ts'

/** Returns the main model. Errors: `model/none`. */
export type ModelForLore = (signal: AbortSignal, role: 'main', priority: Priority) => Promise<ActiveModel>

/** Dependencies of a question to the model about a work. */
export type AskingDeps = {
  random: Random
  works: Pick<WorkService, 'rootOf'>
  documents: Pick<DocumentService, 'read'>
  activeModel: ModelForLore
  /** True while a run of this work writes: its server may have one slot. */
  isWriting: (workId: string) => boolean
  windowLanguage: () => 'ja' | 'en'
  words: () => Promise<Record<'ja' | 'en', MemoryWords>>
}

export type Question = {
  text: string
  maxTokens: number
  seed: number
  conversation: string
  constraint?: Constraint
  priority?: Priority
}

type AskEvent =
  | { type: 'text' | 'replace'; text: string }
  | { type: 'usage'; usage: ModelUsage }
  | { type: 'preempted' }
  | { type: 'cut' }

/**
 * Asks a model by its own template and yields its answer as it arrives, without what it thinks before. Last events:
 * `preempted`: end of a question in the background that a request of the user ended; `cut` of an answer that ended at
 * `maxTokens`. Errors: `model/…`.
 */
export async function* askModel(
  { client, template, sampler }: ActiveModel,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<AskEvent, void, void> {
  const { text, ...rest } = question
  const answered = client.complete(
    {
      ...rest,
      prompt: questionPrompt(template.wrapper, text),
      sampler,
      stops: template.stops,
      isThinkingOff: true,
    },
    signal,
  )
  for await (const event of splitThinking(answered)) {
    if (event.type === 'text' || event.type === 'replace' || event.type === 'usage') yield event
    if (event.type !== 'done') continue
    if (event.stopReason === 'length') yield { type: 'cut' }
    if (event.stopReason === 'aborted' && !signal.aborted) yield { type: 'preempted' }
  }
  signal.throwIfAborted()
}

/** Returns what a model is sent for a question, by its template's wrapper. */
export function questionPrompt(wrapper: string, text: string): Prompt {
  const [before = '', between = ''] = wrapper.replace('{{suffix}}', '').split('{{inner}}')
  return [
    { text: before, isSpecial: true },
    { text, isSpecial: false },
    { text: between, isSpecial: true },
  ].filter((segment) => segment.text !== '')
}

/**
 * The prompts that ask a model for a summary of a chapter, for contradictions between a chapter and its lore, and for
 * the answer to a question from places of the work.
 *
 * Source: `resources/prompts/<lang>/memory-words.json`.
 */
export const MemoryWords = z.object({
  summary: z.object({
    chapter: z.string().includes('{{text}}'),
    /** For every piece of a long text; `none` stands for the summary so far of the first. */
    piece: z.string().includes('{{summary}}').includes('{{text}}'),
    none: z.string(),
    whole: z.string().includes('{{text}}'),
  }),
  check: z.string().includes('{{name}}').includes('{{entry}}').includes('{{text}}'),
  answer: z.string().includes('{{places}}').includes('{{question}}'),
})
export type MemoryWords = z.infer<typeof MemoryWords>

/** Inserts texts at their placeholders, once: placeholders in inserted texts are not replaced. */
export function fillWords(words: string, inputs: Readonly<Record<string, string>>): string {
  return words.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => inputs[name] ?? whole)
}
