import { z } from 'zod'
import { DraftDetails } from '../domain/drafting/draft-details.ts'
import { ChosenReplacement, FindQuery, FindResult, Quotations, ReplaceResult } from '../domain/work/find.ts'
import { HistoryEntry, RemovedFile } from '../domain/work/history-entry.ts'
import { patchOf } from '../domain/work/patch.ts'
import { ExportOptions, ManuscriptText } from '../domain/work/publishing.ts'
import { RecentWork, SamplePageEvent, TextPlace, Work, WorkEvent } from '../domain/work/work.ts'
import { PageChoice } from '../domain/work/work-file.ts'
import { WorkSettings, WorkSettingsPatch } from '../domain/work/work-settings.ts'
import { WritingDay, WritingGoal } from '../domain/work/writing-progress.ts'
import { ErrorInfo } from '../errors.ts'
import { call, stream } from './method.ts'

/** The longest path of any system. Units: UTF-16. */
const Path = z.string().max(32_768)

const InWork = z.object({ workId: z.string() })
const FileInWork = InWork.extend({ path: Path })

export const workContract = {
  'work.recent': call(z.object({}), z.object({ works: z.array(RecentWork) })),
  'work.forget': call(z.object({ root: Path }), z.object({})),
  /** Opens a folder, or a text file's folder with that file, or an original project file. */
  'work.open': call(z.object({ path: Path }), Work),
  /** The sample work, written into the data folder at its first opening. */
  'work.openSample': call(z.object({ language: z.enum(['ja', 'en']) }), Work),
  /** The end of the sample and what the demo continues it with; another `seed` gives another continuation. */
  'work.samplePage': stream(
    z.object({ language: z.enum(['ja', 'en']), seed: z.number().int().nonnegative() }),
    SamplePageEvent,
  ),
  'work.create': call(z.object({ parent: Path, name: Path }), Work),
  'work.watch': stream(InWork, WorkEvent),
  'work.updateDetails': call(
    InWork.extend({ patch: patchOf(DraftDetails) }),
    z.object({ details: DraftDetails }),
  ),
  /**
   * Renames a `work.json` that cannot be read, in its folder, and keeps what could be read of it.
   * Shape: `movedTo` is null where the file was in order by then.
   */
  'work.repairFile': call(InWork, z.object({ movedTo: z.string().nullable() })),
  /** Adds to a day what the author has written. It is kept with the work where that has a `work.json`. */
  'work.addWritten': call(InWork.extend({ written: WritingDay }), z.object({})),
  'work.setGoal': call(InWork.extend({ goal: WritingGoal.nullable() }), z.object({})),
  /** Sends the user's settings for this folder alone: now, and again after each change from any window. */
  'work.watchSettings': stream(InWork, WorkSettings),
  'work.updateSettings': call(InWork.extend({ patch: WorkSettingsPatch }), WorkSettings),
  'work.setLastPath': call(FileInWork, z.object({})),
  /** Remembers where the author is in a file, for its next opening. */
  'work.keepPlace': call(FileInWork.extend({ place: TextPlace }), z.object({})),

  /** `kind`: the kind of the new file, wherever it lies. */
  'work.createFile': call(
    InWork.extend({ path: Path, kind: z.enum(['manuscript', 'material']).optional() }),
    z.object({ path: z.string() }),
  ),
  'work.renameFile': call(FileInWork.extend({ newPath: Path }), z.object({ path: z.string() })),
  /** The file goes to the history store; `work.restoreFile` with the answer's id brings it back. */
  'work.removeFile': call(FileInWork, z.object({ undoId: z.string() })),
  'work.restoreFile': call(InWork.extend({ undoId: z.string() }), z.object({ path: z.string() })),
  /** The bin: the files that the user removed, newest first, for as long as they are kept. */
  'work.removed': call(InWork, z.object({ files: z.array(RemovedFile) })),
  /** The local history of a removed file up to its removal. Errors: `file/not-found`. */
  'work.removedHistory': call(
    InWork.extend({ removedId: z.string() }),
    z.object({ entries: z.array(HistoryEntry) }),
  ),
  /** Returns a snapshot of a removed file; null: as it was removed. Errors: `file/not-found`, `file/not-text`. */
  'work.readRemoved': call(
    InWork.extend({ removedId: z.string(), entryId: z.string().nullable() }),
    z.object({ text: z.string() }),
  ),
  /** Restores a removed file, with a new name where another file has its path. Errors: `file/not-found`. */
  'work.restoreRemoved': call(InWork.extend({ removedId: z.string() }), z.object({ path: z.string() })),
  /** Sets whether a text is a manuscript or a material; kept in `work.json`. Errors: `file/not-found`. */
  'work.setKind': call(FileInWork.extend({ kind: z.enum(['manuscript', 'material']) }), z.object({})),
  /** Sets the page for a text; null: as the settings say. Kept in `work.json`. Errors: `file/not-found`. */
  'work.setPage': call(FileInWork.extend({ page: PageChoice.nullable() }), z.object({})),
  /** Puts manuscripts into this order; kept in `work.json`. */
  'work.reorder': call(InWork.extend({ paths: z.array(z.string()) }), z.object({})),
  /**
   * Saves as the original's project file (`details`, `main_text`, `memo_text`).
   *
   * Errors: `file/exists` where `target` is there and `mayReplace` is not given, or is no project file.
   */
  'work.exportProject': call(
    InWork.extend({ target: Path, mayReplace: z.boolean().optional() }),
    z.object({ path: z.string() }),
  ),
}

export const publishingContract = {
  /** Returns the manuscripts named, or all, in their order, with unsaved changes. */
  'work.texts': call(
    InWork.extend({ paths: z.array(Path).max(10_000).optional() }),
    z.object({ texts: z.array(ManuscriptText) }),
  ),
  /**
   * Writes the work, or one file a chapter into a new folder. Shape: `target` is an absolute path; `paths`: only these
   * manuscripts; the answer names the output. A chapter alone has its own title.
   *
   * Errors: `work/empty` without a manuscript; `file/exists` where `target` is there and `mayReplace` is not given.
   */
  'work.exportText': call(
    InWork.extend({
      target: Path,
      options: ExportOptions,
      mayReplace: z.boolean().optional(),
      paths: z.array(Path).max(10_000).optional(),
    }),
    z.object({ path: z.string(), count: z.number().int() }),
  ),
  /**
   * Adds the chapters of a text, Markdown, Word or project file, or of an archive of texts, behind the last one: all of
   * them or none.
   *
   * Errors: `work/bad-import` where it is none of these or holds no text; `file/too-complex` where reading it takes too
   * much time or memory, or makes too many chapters.
   */
  'work.importText': call(InWork.extend({ file: Path }), z.object({ paths: z.array(z.string()) })),
}

export const findContract = {
  /**
   * Finds a text in all manuscripts, as they stand in the window. `replacement` may name groups (`$1`, `$<name>`, `$&`)
   * where the query is a regular expression.
   *
   * Errors: `find/bad-pattern`; `find/too-slow` for an expression that does not end in time.
   */
  'work.find': call(InWork.extend({ query: FindQuery, replacement: z.string().max(100_000) }), FindResult),
  /**
   * Returns places of the manuscripts, materials and summaries that may answer a question, the best first, by the words
   * that they share with it; asks no model.
   */
  'work.ask': call(InWork.extend({ question: z.string().min(1).max(2_000) }), Quotations),
  /**
   * Makes the chosen edits: a snapshot of each file before, one undo step in each, `work.undoReplace` for all.
   *
   * Errors: `file/…` where no file could be written.
   */
  'work.replace': call(InWork.extend({ chosen: z.array(ChosenReplacement).max(10_000) }), ReplaceResult),
  /** Undoes a replacement and keeps what was written after it; `failed` as in `work.replace`. Errors: `find/no-undo`. */
  'work.undoReplace': call(
    InWork.extend({ replaceId: z.string() }),
    z.object({ files: z.number().int(), changed: z.array(z.string()), failed: z.array(ErrorInfo) }),
  ),
}
