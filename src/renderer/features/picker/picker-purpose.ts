import type { PickPurpose } from '../../../shared/domain/app/host-info.ts'
import type { FolderListing } from '../../../shared/domain/work/work.ts'

export type Entry = FolderListing['entries'][number]

/**
 * The entries that can be picked for one purpose.
 *
 * Shape: `picks` are the kinds of entries that can be chosen besides folders to enter; `usesFolder`: the shown folder
 * itself can be the answer.
 */
type Choice = { picks: readonly Entry['kind'][]; usesFolder: boolean }

export const choices: Record<PickPurpose, Choice> = {
  'open-work': { picks: ['text', 'other'], usesFolder: true },
  'open-project': { picks: [], usesFolder: true },
  'create-work': { picks: [], usesFolder: true },
  'open-gguf': { picks: ['gguf'], usesFolder: false },
  'gguf-folder': { picks: [], usesFolder: true },
  'export-project': { picks: [], usesFolder: true },
  'export-text': { picks: [], usesFolder: true },
  'export-chapters': { picks: [], usesFolder: true },
  'import-lore': { picks: ['text', 'other'], usesFolder: false },
  'export-lore': { picks: [], usesFolder: true },
  'import-text': { picks: ['text', 'other'], usesFolder: false },
  'add-folder': { picks: [], usesFolder: true },
}

/** Finds the entry after `from` whose name begins with the typed text; after the last entry it begins again. */
export function indexOfTyped(entries: readonly Entry[], from: number, typed: string): number {
  const wanted = typed.toLocaleLowerCase()
  for (let step = 0; step < entries.length; step += 1) {
    const at = (from + step) % entries.length
    if (entries[at]?.name.toLocaleLowerCase().startsWith(wanted)) return at
  }
  return -1
}

/** True where a typed path names the file to pick, and no folder to look into. */
export function isFilePath(purpose: PickPurpose, path: string): boolean {
  // A folder of such a name is opened all the same.
  if (purpose === 'open-work') return /\.(txt|text|md|markdown|json)$/i.test(path)
  if (purpose === 'import-text') return /\.(txt|text|md|markdown|docx|epub|zip|json)$/i.test(path)
  if (purpose === 'import-lore') return /\.(json|png|lorebook)$/i.test(path)
  return choices[purpose].picks.includes('gguf') && /\.gguf$/i.test(path)
}
