import { z } from 'zod'
import { type DialogueLevel, DraftDetails } from '../../../shared/domain/drafting/draft-details.ts'
import { AppError } from '../../../shared/errors.ts'

/** The words of project files for the amount of dialogue. */
const dialogueWords = {
  none: '指定なし',
  few: '少ない',
  'rather-few': 'やや少ない',
  normal: '普通',
  'rather-many': 'やや多い',
  many: '多い',
} satisfies Record<DialogueLevel, string>

/**
 * The project file of Project Wannabe: one JSON file with a whole work.
 *
 * Source: the project file of Project Wannabe. It has no version; unknown keys are passed over.
 */
const ProjectFile = z.object({
  details: z
    .object({
      title: z.string().default(''),
      keywords: z.array(z.string()).default([]),
      genres: z.array(z.string()).default([]),
      synopsis: z.string().default(''),
      setting: z.string().default(''),
      plot: z.string().default(''),
      dialogue_level: z.string().default(''),
      rating: z.string().default(''),
      authors_note: z.string().default(''),
    })
    .prefault({}),
  main_text: z.string(),
  memo_text: z.string().default(''),
})

export type Project = { details: DraftDetails; mainText: string }

/** Returns undefined where `bytes` are not the JSON of a project file. */
export function parseProject(bytes: Uint8Array): Project | undefined {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
  const parsed = ProjectFile.safeParse(json)
  if (!parsed.success) return undefined
  const { details, main_text, memo_text } = parsed.data
  const { dialogue_level, rating, authors_note, ...same } = details
  const level = Object.entries(dialogueWords).find(([, word]) => word === dialogue_level)?.[0] ?? 'none'
  const known = DraftDetails.safeParse({
    ...same,
    dialogueLevel: level,
    rating: rating === 'general' || rating === 'r18' ? rating : 'default',
    authorsNote: authors_note,
    memo: memo_text,
  })
  return known.success ? { details: known.data, mainText: main_text } : undefined
}

/** Errors: `work/bad-file`. */
export function needProject(bytes: Uint8Array, path: string): Project {
  const project = parseProject(bytes)
  if (project === undefined) throw new AppError({ code: 'work/bad-file', path, reason: 'no project file' })
  return project
}

/** Returns the project file's bytes: UTF-8, four spaces, a rating that the original knows. */
export function projectBytes({ details, mainText }: Project): Buffer {
  const { dialogueLevel, rating, promptLanguage: _, promptForm: __, authorsNote, memo, ...same } = details
  const json = {
    details: {
      ...same,
      dialogue_level: dialogueWords[dialogueLevel],
      rating: rating === 'default' ? 'general' : rating,
      authors_note: authorsNote,
    },
    main_text: mainText,
    memo_text: memo,
  }
  return Buffer.from(JSON.stringify(json, null, 4))
}
