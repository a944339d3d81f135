import { cutOf, cutText } from './prompt/prompt-cut.ts'
import type { PromptEntry } from './prompt/prompt-entry.ts'

/** Maximum number of entries of a session that are sent to a standalone model. Source: *Prompt suggestions*. */
const mostEntries = 40
/** Number of entries that a full window is cut to. It grows again from there, so its beginning stays in the cache. */
const keptEntries = 20
const leastEntries = 2

/** Entries that are left out: what the host tells the model about its work is not part of the conversation. */
const left = new Set<PromptEntry['kind']>([
  'base',
  'instructions',
  'surroundings',
  'block',
  'decision',
  'cut',
])

/**
 * The last entries of each session's log, for a model that is not sent the whole of it. From turn to turn they begin
 * with the same entry as long as there is room.
 */
export class StandaloneWindow {
  readonly #begins = new Map<string, PromptEntry>()

  entries(sessionId: string, log: readonly PromptEntry[], stub: string): PromptEntry[] {
    const kept = log.filter(({ kind }) => !left.has(kind))
    const begin = this.#begins.get(sessionId)
    const before = begin === undefined ? -1 : kept.lastIndexOf(begin)
    const from = before < 0 ? mostEntries : kept.length - before
    const shown = kept.slice(-(from > mostEntries ? keptEntries : from))
    this.#begin(sessionId, shown)
    const cut = cutOf(log)
    return shown.map((entry) => ({ ...entry, text: cutText(entry, log.indexOf(entry), cut, stub) }))
  }

  /** Halves the window where it has no room. Returns false where hardly anything would be left. */
  shorten(sessionId: string, log: readonly PromptEntry[]): boolean {
    const kept = log.filter(({ kind }) => !left.has(kind))
    const begin = this.#begins.get(sessionId)
    const count = begin === undefined ? 0 : kept.length - kept.lastIndexOf(begin)
    if (count <= leastEntries) return false
    this.#begin(sessionId, kept.slice(-Math.ceil(count / 2)))
    return true
  }

  forget(sessionId: string): void {
    this.#begins.delete(sessionId)
  }

  #begin(sessionId: string, [first]: readonly PromptEntry[]): void {
    if (first === undefined) this.#begins.delete(sessionId)
    else this.#begins.set(sessionId, first)
  }
}
