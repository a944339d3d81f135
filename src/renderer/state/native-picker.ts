import type { PickPurpose } from '../../shared/domain/host-info.ts'
import { infoOf } from './follow.ts'
import { namesNew, splitNew, takePicked } from './picked.ts'
import type { SliceContext } from './slice.ts'

/** Lets the author pick in the system's dialog. Shape: one dialog at a time; asked meanwhile, it does nothing. */
export function createNativePicker(context: SliceContext): (purpose: PickPurpose) => Promise<void> {
  const { client, get } = context
  let isOpen = false

  return async (purpose) => {
    if (isOpen) return
    isOpen = true
    try {
      const workName = get().work.current?.name
      const hasName = purpose === 'export-project' && workName !== undefined
      const defaultPath = hasName ? { defaultPath: `${workName}.json` } : {}
      const { path } = await client['folder.pick']({ purpose, ...defaultPath })
      if (path !== null) takePicked(get(), purpose, namesNew[purpose] ? splitNew(path) : { path, name: '' })
    } catch (error) {
      get().ui.toastError(infoOf(error))
    } finally {
      isOpen = false
    }
  }
}
