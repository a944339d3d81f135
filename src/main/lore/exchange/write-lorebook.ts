import type { LoreEntry } from '../../../shared/domain/lore/lore.ts'
import { patternOf } from '../match-lore.ts'

/**
 * Writes entries as SillyTavern's world info. What it has no field for stands in `extensions.tsugi` of the entry, which
 * `read-lorebook.ts` reads again.
 *
 * Source: SillyTavern, `world-info.js`, the template of a new entry.
 */
export function writeTavernLorebook(entries: readonly LoreEntry[]): { entries: Record<string, unknown> } {
  return { entries: Object.fromEntries(entries.map((entry, uid) => [String(uid), tavernEntry(entry, uid)])) }
}

function tavernEntry(entry: LoreEntry, uid: number) {
  const { name, text, keys, also, never, always, priority, enabled, range } = entry
  // In SillyTavern an entry has one list of secondary keys: all of them must appear, or none of them.
  const isExclusive = also.length === 0 && never.length > 0
  const own = {
    ...(also.length > 0 && never.length > 0 ? { never } : {}),
    ...(range === null ? {} : { range }),
  }
  return {
    uid,
    key: keys.map(tavernKey),
    keysecondary: (isExclusive ? never : also).map(tavernKey),
    comment: name,
    content: text,
    constant: always,
    selective: also.length > 0 || isExclusive,
    selectiveLogic: isExclusive ? 2 : 3,
    addMemo: true,
    order: priority,
    position: 0,
    disable: !enabled,
    excludeRecursion: false,
    preventRecursion: false,
    probability: 100,
    useProbability: true,
    depth: 4,
    group: '',
    scanDepth: null,
    caseSensitive: null,
    matchWholeWords: null,
    displayIndex: uid,
    ...(Object.keys(own).length === 0 ? {} : { extensions: { tsugi: own } }),
  }
}

/** Adds the flags that our expressions always have, so that SillyTavern ignores the case as well. */
function tavernKey(key: string): string {
  return patternOf(key) === undefined ? key : `${key}iu`
}
