import { DraftAnchor } from '../../shared/domain/draft-anchor.ts'
import type { DocumentService } from '../documents/document-service.ts'
import type { WorkRepository } from '../store/work-repository.ts'
import type { WorkService } from '../workspace/work-service.ts'
import type { DraftWorks } from './draft-service.ts'

const anchorKey = 'draft.anchor'

/** What drafting knows of works: their details, their text as it is now, their anchor. */
export function createDraftWorks(parts: {
  works: Pick<WorkService, 'details' | 'rootOf' | 'manuscripts'>
  documents: Pick<DocumentService, 'read' | 'watch'>
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
    anchor: (workId) => DraftAnchor.safeParse(state.getState(workId, anchorKey)).data,
    setAnchor: (workId, anchor) => state.setState(workId, anchorKey, anchor),
  }
}
