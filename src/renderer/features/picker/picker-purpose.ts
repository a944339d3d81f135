import type { FolderListing } from '../../../shared/domain/work.ts'
import type { AppStore } from '../../state/app-store.ts'
import type { PickerPurpose } from '../../state/ui-slice.ts'

export type Entry = FolderListing['entries'][number]

/**
 * How the picker serves one purpose.
 *
 * Shape: `picks` are the kinds of entries that can be chosen besides folders to enter; `names` asks for a
 * name of something new in the folder; `usesFolder`: the shown folder itself can be the answer.
 */
type Behaviour = {
  picks: readonly Entry['kind'][]
  usesFolder: boolean
  names: boolean
  choose: (store: AppStore, path: string, name: string) => void
}

export const behaviours: Record<PickerPurpose, Behaviour> = {
  'open-work': {
    picks: ['text', 'other'],
    usesFolder: true,
    names: false,
    choose: (store, path) => void store.getState().work.open(path),
  },
  'create-work': {
    picks: [],
    usesFolder: true,
    names: true,
    choose: (store, path, name) => void store.getState().work.create(path, name),
  },
  'open-gguf': {
    picks: ['gguf'],
    usesFolder: false,
    names: false,
    choose: (store, path) => void store.getState().models.use({ backend: 'embedded', file: path }),
  },
  'export-project': {
    picks: [],
    usesFolder: true,
    names: true,
    choose: (store, path, name) => {
      const separator = path.includes('\\') && !path.includes('/') ? '\\' : '/'
      const file = name.endsWith('.json') ? name : `${name}.json`
      void store.getState().work.exportProject(`${path.replace(/[/\\]$/, '')}${separator}${file}`)
    },
  },
}

/** The entry after `from` whose name begins with what was typed; goes round. */
export function typeAhead(entries: readonly Entry[], from: number, typed: string): number {
  const wanted = typed.toLocaleLowerCase()
  for (let step = 0; step < entries.length; step += 1) {
    const at = (from + step) % entries.length
    if (entries[at]?.name.toLocaleLowerCase().startsWith(wanted)) return at
  }
  return -1
}
