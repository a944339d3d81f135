import { z } from 'zod'

/** The text written on one day: additions less deletions. Shape: `date` is `2026-11-22`, by the author's clock. */
export const WritingDay = z.object({
  date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  characters: z.int(),
  words: z.int(),
})
export type WritingDay = z.infer<typeof WritingDay>

export const WritingGoal = z.object({
  count: z.int().min(1).max(1_000_000),
  unit: z.enum(['characters', 'words']),
})
export type WritingGoal = z.infer<typeof WritingGoal>

/** A work's goal for a day and its days in order. `isKept`: they are stored in the work's folder. */
export const WritingProgress = z.object({
  goal: WritingGoal.nullable(),
  days: z.array(WritingDay),
  isKept: z.boolean(),
})
export type WritingProgress = z.infer<typeof WritingProgress>

/** Adds written text to its day; days stay in order. */
export function addToDay(days: readonly WritingDay[], written: WritingDay): WritingDay[] {
  const before = days.find(({ date }) => date === written.date)
  const day = {
    date: written.date,
    characters: (before?.characters ?? 0) + written.characters,
    words: (before?.words ?? 0) + written.words,
  }
  const others = days.filter(({ date }) => date !== written.date)
  return [...others, day].sort((a, b) => (a.date < b.date ? -1 : 1))
}
