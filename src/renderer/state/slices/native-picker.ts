import type { PickPurpose } from '../../../shared/domain/app/host-info.ts'
import type { AppState } from '../app-state.ts'
import { exportName, namesNew, placeOf, splitNew, takePicked } from './picked.ts'
import type { SliceContext } from './slice.ts'

/** Lets the author pick in the system's dialog. Shape: one dialog at a time; asked meanwhile, it does nothing. */
export function createNativePicker(context: SliceContext): (purpose: PickPurpose) => Promise<void> {
  const { client, get, tell } = context
  let isOpen = false

  return async (purpose) => {
    if (isOpen) return
    isOpen = true
    try {
      const name = exportName(get(), purpose) + endingOf(purpose, get())
      const place = get().ui.lastPlace(purpose)
      const wanted = place === null ? name : placeOf(place, name)
      const { path } = await client['folder.pick']({
        purpose,
        ...(wanted === '' ? {} : { defaultPath: wanted }),
      })
      if (path === null) return
      const picked = namesNew[purpose] ? splitNew(path) : { path, name: '' }
      get().ui.keepPlace(purpose, splitNew(path).path)
      takePicked(get(), purpose, picked)
    } catch (error) {
      tell(error)
    } finally {
      isOpen = false
    }
  }
}

function endingOf(purpose: PickPurpose, { publishing }: AppState): string {
  if (purpose === 'export-project' || purpose === 'export-lore') return '.json'
  return purpose === 'export-text' ? `.${publishing.exportOptions.format}` : ''
}
