import { z } from 'zod'

/**
 * The prompts that ask a model for a summary of a chapter, for contradictions between a chapter and its lore, and for
 * the answer to a question from places of the work.
 *
 * Source: `resources/prompts/<lang>/memory-words.json`.
 */
export const MemoryWords = z.object({
  summary: z.object({
    episode: z.string().includes('{{text}}'),
    next: z.string().includes('{{summary}}').includes('{{text}}'),
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
