import { DraftAnchor } from '../../shared/domain/drafting/draft-preview.ts'
import type { DocumentService } from '../documents/document-service.ts'
import type { WorkRepository } from '../store/work-repository.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import type { DraftWorks } from './draft-service.ts'

const anchorKey = 'draft.anchor'

/** Gives drafting access to works: their details, their present text, their anchor. */
export function createDraftWorks(parts: {
  works: Pick<WorkService, 'details' | 'updateDetails' | 'rootOf' | 'manuscripts'>
  documents: Pick<DocumentService, 'read' | 'edit' | 'watch'>
  state: Pick<WorkRepository, 'getState' | 'setState'>
}): DraftWorks {
  const { works, documents, state } = parts
  return {
    details: works.details,
    async bodyFiles(workId, path, isOpenFileOnly) {
      const root = works.rootOf(workId)
      const manuscripts = works.manuscripts(workId).map((file) => file.path)
      const at = manuscripts.indexOf(path)
      // A file that is no manuscript (notes, a plot) is continued by itself.
      const paths = isOpenFileOnly || at < 0 ? [path] : manuscripts.slice(0, at + 1)
      const texts = await Promise.all(paths.map((each) => documents.read({ root, path: each })))
      return texts.map(({ text }, i) => ({ path: paths[i] ?? path, text }))
    },
    follow: (workId, path, signal) => documents.watch({ root: works.rootOf(workId), path }, signal),
    async edit(workId, { field, path }, edit) {
      if (path === undefined) {
        // Only a die that is fixed in the details needs it.
        const { editField } = await import('./edit-field.ts')
        await works.updateDetails(workId, editField(await works.details(workId), field, edit))
      } else {
        const target = { root: works.rootOf(workId), path }
        await documents.edit(target, (doc) => edit(doc.toString()), 'transfer')
      }
    },
    anchor: (workId) => DraftAnchor.safeParse(state.getState(workId, anchorKey)).data,
    setAnchor: (workId, anchor) => state.setState(workId, anchorKey, anchor),
  }
}
