import { z } from 'zod'
import { DraftDetails } from '../drafting/draft-details.ts'
import { WorkFile } from './work-file.ts'
import { WritingProgress } from './writing-progress.ts'

/**
 * Why a `work.json` is not read. `damaged`: its content; `newer`: by a later version of the app; `outside`: a link
 * that leads out of the folder; `unreadable`: no file that can be read.
 */
export const WorkFileProblem = z.enum(['damaged', 'newer', 'outside', 'too-large', 'unreadable'])
export type WorkFileProblem = z.infer<typeof WorkFileProblem>

/**
 * An author's place in a file.
 *
 * Units: positions in the file's text. Shape: `top` is the first position on the page that was in sight, `vertical` the
 * place of the vertical view, null where that was not used.
 */
export const TextPlace = z.object({
  anchor: z.int().nonnegative(),
  head: z.int().nonnegative(),
  top: z.int().nonnegative(),
  vertical: z.int().nonnegative().nullable(),
})
export type TextPlace = z.infer<typeof TextPlace>

export const Work = z.object({
  workId: z.string(),
  /** Absolute path of the folder. */
  root: z.string(),
  /** Title of the work, else the folder's name. */
  name: z.string(),
  files: z.array(WorkFile),
  details: DraftDetails,
  /** False as long as the folder has no `work.json`. */
  hasWorkFile: z.boolean(),
  /** True for a folder of code, by its manifest or its Git repository; it opens with its sessions first. */
  isProject: z.boolean(),
  /** Null where `work.json` is valid or absent. While there is a problem, no details can be changed. */
  workFileProblem: WorkFileProblem.nullable(),
  progress: WritingProgress,
  /** File that was open last, relative to the work. */
  lastPath: z.string().nullable(),
  /** The author's place in each file, by its path. */
  places: z.record(z.string(), TextPlace),
})
export type Work = z.infer<typeof Work>

export const WorkEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('snapshot'), work: Work }),
  z.object({ type: z.literal('files'), files: z.array(WorkFile) }),
  z.object({ type: z.literal('details'), details: DraftDetails, name: z.string() }),
  z.object({ type: z.literal('progress'), progress: WritingProgress }),
  z.object({ type: z.literal('work-file'), problem: WorkFileProblem.nullable() }),
])
export type WorkEvent = z.infer<typeof WorkEvent>

export const RecentWork = z.object({ root: z.string(), name: z.string(), openedAt: z.number() })
export type RecentWork = z.infer<typeof RecentWork>

/** A folder as the app's own folder picker lists it. */
export const FolderListing = z.object({
  path: z.string(),
  parent: z.string().nullable(),
  entries: z.array(
    z.object({ name: z.string(), path: z.string(), kind: z.enum(['folder', 'text', 'gguf', 'other']) }),
  ),
  /** Home, documents, drives. */
  places: z.array(z.object({ name: z.string(), path: z.string() })),
  isTruncated: z.boolean(),
})
export type FolderListing = z.infer<typeof FolderListing>

/** The sample for the welcome page: first `page`, the end of its last chapter, then the continuation as `text`. */
export const SamplePageEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('page'), title: z.string(), text: z.string() }),
  z.object({ type: z.literal('text'), text: z.string() }),
])
export type SamplePageEvent = z.infer<typeof SamplePageEvent>
