import { z } from 'zod'
import { IdleSummaries, SummaryEvent, SummaryTarget, WorkSummaries } from '../domain/lore/chapter-summary.ts'
import { LoreCandidate, LoreEntry, LoreHead, LoreSettings, UnreadLore } from '../domain/lore/lore.ts'
import { LoreImportPlan } from '../domain/lore/lore-exchange.ts'
import { CheckEvent, Mentions } from '../domain/lore/mentions.ts'
import { AnswerEvent } from '../domain/work/find.ts'
import { patchOf } from '../domain/work/patch.ts'
import { call, stream } from './method.ts'

const InWork = z.object({ workId: z.string() })
const OfSummary = InWork.extend({ takeId: z.string() })

export const loreContract = {
  /**
   * The lore entries of a work, its materials that are none yet, and those that cannot be read. `revision`: another one
   * once any of these files has changed, as in `DraftPreview`.
   */
  'lore.list': call(
    InWork,
    z.object({
      revision: z.string(),
      entries: z.array(LoreHead),
      candidates: z.array(LoreCandidate),
      unread: z.array(UnreadLore),
    }),
  ),
  /** Writes settings into a material's front matter, which makes it an entry. Errors: `file/…`. */
  'lore.update': call(
    InWork.extend({ path: z.string(), patch: patchOf(LoreSettings) }),
    z.object({ entry: LoreEntry }),
  ),

  /** Every place of the manuscripts where one of these keys appears, by the rules that entries match by. */
  'lore.mentions': call(
    InWork.extend({ keys: z.array(z.string().min(1).max(1_000)).min(1).max(1_000) }),
    Mentions,
  ),
  /**
   * Has the model look for contradictions between a chapter and the entries that it mentions; leaving it stops.
   * Errors: `run/busy` while a run of this work writes; `model/…`; `file/…`.
   */
  'lore.check': stream(InWork.extend({ path: z.string() }), CheckEvent),
  /**
   * Has the model answer a question from the places that `work.ask` finds; leaving it stops. Without a place no model is
   * asked. Errors: `run/busy` while a run of this work writes; `model/…`; `file/…`.
   */
  'lore.answer': stream(InWork.extend({ question: z.string().min(1).max(2_000) }), AnswerEvent),
  /**
   * Previews the import of a world info, lorebook or character card. Errors: `lore/bad-import` where the file holds
   * no entries; `file/too-large`; `file/too-complex`; `file/…`.
   */
  'lore.planImport': call(InWork.extend({ file: z.string().max(32_768) }), LoreImportPlan),
  /** Makes the files of a plan, all or none. Errors: `file/changed` where the file has changed since the plan. */
  'lore.import': call(
    InWork.extend({ file: z.string().max(32_768), hash: z.string() }),
    z.object({ paths: z.array(z.string()) }),
  ),
  /**
   * Writes all entries as world info. `off`: entries whose settings cannot be read, written as switched off, with the
   * default values for these settings; `unread`: materials that cannot be read, which are not written. Errors:
   * `file/exists`.
   */
  'lore.export': call(
    InWork.extend({ target: z.string().max(32_768) }),
    z.object({ path: z.string(), count: z.int(), off: z.array(z.string()), unread: z.array(UnreadLore) }),
  ),
  /** Returns the chapters of a work with their summaries, and the summaries that a model offers. */
  'summary.list': call(InWork, WorkSummaries),
  /**
   * Has the model write summaries, one after another, as takes that are offered; leaving it stops, and what was written
   * stays.
   * Errors: `run/busy` while a run of this work writes; `model/…`; `file/…`.
   */
  'summary.make': stream(InWork.extend({ targets: z.array(SummaryTarget).min(1).max(10_000) }), SummaryEvent),
  /**
   * Has the model write the summaries that are missing or out of date, as offers, whenever it is idle. The stream goes
   * on until it is left, and sends each change of state.
   */
  'summary.whileIdle': stream(InWork, IdleSummaries),
  /** Keeps an offer as the author has changed it. Errors: `take/not-found`. */
  'summary.edit': call(OfSummary.extend({ text: z.string().max(100_000) }), z.object({})),
  /**
   * Writes an offer, as the author changed it, into its file. `replaces`: the text of that file, as it was shown.
   * Errors: `file/changed` where the file has another text by now, or the offer was decided; `take/not-found`.
   */
  'summary.accept': call(
    OfSummary.extend({ text: z.string().trim().min(1).max(100_000), replaces: z.string() }),
    z.object({}),
  ),
  /** Puts an offer aside; it stays among the takes of its summary. Errors: `take/not-found`. */
  'summary.discard': call(OfSummary, z.object({})),
  /** Offers a take again, in place of the present offer. Errors: `take/not-found`. */
  'summary.offer': call(OfSummary, z.object({})),
}
