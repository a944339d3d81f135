import type { documentContract } from '../../shared/contract/document.ts'
import type { Api } from '../../shared/contract/index.ts'
import type { DocumentService } from '../documents/document-service.ts'

/** Open documents and their history. `rootOf`: the folder of an open work; errors: `work/not-open`. */
export function createDocumentApi(parts: {
  documents: DocumentService
  rootOf: (workId: string) => string
}): Pick<Api, keyof typeof documentContract> {
  const { documents, rootOf } = parts
  return {
    'document.watch': ({ workId, path, afterVersion }, { signal }) =>
      documents.watch({ root: rootOf(workId), path, afterVersion }, signal),
    'document.change': async (input) => documents.change(input),
    'document.save': ({ documentId }) => documents.save(documentId),
    'document.resolveConflict': ({ documentId, choice }) => documents.resolveConflict(documentId, choice),
    'document.diskText': async ({ documentId }) => {
      const { disk, base } = await documents.conflictTexts(documentId)
      return { text: disk, base }
    },
    'document.mergeConflict': ({ documentId, mine, disk, text }) =>
      documents.mergeConflict(documentId, { mine, disk, text }),
    'document.saveAsUtf8': ({ documentId }) => documents.saveAsUtf8(documentId),
    'history.list': async ({ documentId }) => ({ entries: documents.history(documentId) }),
    'history.read': async ({ documentId, entryId }) => ({ text: documents.readHistory(documentId, entryId) }),
    'history.restore': async ({ documentId, entryId }) => documents.restoreHistory(documentId, entryId),
    'history.snapshot': async ({ documentId }) => ({ entry: documents.snapshot(documentId) }),
  }
}
