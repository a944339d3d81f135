import { windowId } from '../../editor/document/window-id.ts'
import type { DocumentLink } from '../../editor/editor-types.ts'
import type { AppStore } from '../../state/app-store.ts'
import { chosenPage } from '../../state/reducers/work-reducer.ts'

/** Links the editor to a file by its current name and work; a closing file keeps its last ones for its last text. */
export function linkTo(store: AppStore, key: string): DocumentLink {
  let last = { workId: '', path: '', root: '' }
  const now = () => {
    const { documents, work } = store.getState()
    const view = Object.values(documents.byPath).find((one) => one.key === key)
    if (view && work.current) last = { workId: work.current.workId, path: view.path, root: work.current.root }
    return last
  }
  now()
  const clientId = `${windowId}-${key}`
  const keptPlace = () => store.keptTexts.place(now().root, now().path, clientId)
  return {
    key,
    clientId,
    place: {
      read: () => store.getState().documents.placeOf(now().path),
      write: (at) => store.getState().documents.keepPlace(now().path, at),
    },
    page: () => chosenPage(store.getState().work.current, now().path),
    kept: {
      read: () => keptPlace().read(),
      write: (changes) => keptPlace().write(changes),
      release: () => keptPlace().release?.(),
    },
    watch({ afterVersion, signal }) {
      const { workId, path } = now()
      const version = afterVersion === undefined ? {} : { afterVersion }
      return store.client['document.watch']({ workId, path, ...version }, { signal })
    },
    send: (batch) => store.client['document.change']({ clientId, ...batch }),
  }
}
