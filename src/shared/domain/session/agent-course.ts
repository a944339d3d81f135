import { z } from 'zod'
import { isClippedLine } from '../../text/clip-line.ts'

/**
 * The limits of the lines and lists that a session's state holds for its prompts.
 *
 * Units: graphemes of a line, items of a list.
 * Source: *Duckflow prompt system* 5.1, `docs/decisions/sessions.md` point 21 and Tables.
 */
export const courseLimits = {
  goal: { characters: 200 },
  whyNow: { characters: 200 },
  constraints: { items: 2, characters: 100 },
  planBrief: { items: 3, characters: 100 },
  openQuestions: { items: 2, characters: 100 },
  lastDelta: { characters: 200 },
  decisionLog: { items: 100, characters: 100 },
  learnedPatterns: { items: 5, characters: 100 },
  corrections: { items: 40, characters: 100 },
  contextRefs: { items: 20, characters: 1000 },
} as const

/** Returns the schema of a line as `clipLine` makes it. A grammar counts code points: never fewer than graphemes. */
export function courseLine(characters: number) {
  return z
    .string()
    .refine((text) => isClippedLine(text, characters), `one line of at most ${characters} characters`)
    .meta({ maxLength: characters })
}

export function courseLines({ items, characters }: { items: number; characters: number }) {
  return z.array(courseLine(characters)).max(items)
}

/** The five fixed items that hold a session's course. Empty where nothing is known yet. */
export const AgentCourse = z.object({
  goal: courseLine(courseLimits.goal.characters),
  whyNow: courseLine(courseLimits.whyNow.characters),
  constraints: courseLines(courseLimits.constraints),
  planBrief: courseLines(courseLimits.planBrief),
  openQuestions: courseLines(courseLimits.openQuestions),
})
export type AgentCourse = z.infer<typeof AgentCourse>

export const CourseItem = AgentCourse.keyof()
export type CourseItem = z.infer<typeof CourseItem>

export const emptyCourse: AgentCourse = {
  goal: '',
  whyNow: '',
  constraints: [],
  planBrief: [],
  openQuestions: [],
}

/**
 * The user's actions in the course panel. `write` also pins the item; `learn` holds for the whole project.
 * `decline`: a pattern that the host proposed is not learned, and not proposed again.
 */
export const CourseEdit = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('write'), item: CourseItem, value: z.union([z.string(), z.array(z.string())]) }),
  z.object({ kind: z.literal('pin'), item: CourseItem }),
  z.object({ kind: z.literal('unpin'), item: CourseItem }),
  z.object({ kind: z.literal('learn'), pattern: z.string().min(1).max(1000) }),
  z.object({ kind: z.literal('forget'), pattern: z.string().max(1000) }),
  z.object({ kind: z.literal('decline'), pattern: z.string().max(1000) }),
])
export type CourseEdit = z.infer<typeof CourseEdit>
