import { z } from 'zod'
import { ExportOptions, ManuscriptText } from '../domain/work/publishing.ts'
import { call } from './method.ts'

/** The longest path of any system. Units: UTF-16. */
const Path = z.string().max(32_768)
const InWork = z.object({ workId: z.string() })

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
