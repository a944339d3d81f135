import type { DraftDetails } from '../../shared/domain/drafting/draft-details.ts'
import { DraftAnchor } from '../../shared/domain/drafting/draft-preview.ts'
import { AppError } from '../../shared/errors.ts'
import type { DocumentService } from '../documents/document-service.ts'
import type { LoreService } from '../lore/lore-service.ts'
import type { SummaryService } from '../lore/summaries/summary-service.ts'
import type { WorkRepository } from '../store/works/work-repository.ts'
import type { WorkService } from '../workspace/work/work-service.ts'
import type { DraftLore } from './draft-lore.ts'
import type { DraftWorks, TextEdit } from './draft-service.ts'

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

/**
 * Returns the change of the details that an edit of one text or tag (`keywords.0`) makes.
 *
 * Errors: `file/changed` for a tag that is gone.
 */
function editField(details: DraftDetails, field: string, edit: (text: string) => TextEdit) {
  const [name = '', index] = field.split('.')
  const value = Object.entries(details).find(([key]) => key === name)?.[1]
  const edited = (text: string) => {
    const { from, to, insert } = edit(text)
    return text.slice(0, from) + insert + text.slice(to)
  }
  if (Array.isArray(value)) {
    if (value[Number(index)] === undefined) throw new AppError({ code: 'file/changed', path: field })
    return { [name]: value.map((tag, i) => (i === Number(index) ? edited(tag) : tag)) }
  }
  return { [name]: edited(value ?? '') }
}

const stateKey = 'draft.lore'

/** Gives drafting access to a work's lore and summaries. A work without materials never loads their services. */
export function createDraftLore(parts: {
  works: Pick<WorkService, 'get' | 'manuscripts'>
  state: Pick<WorkRepository, 'getState' | 'setState'>
  load: () => Promise<Pick<LoreService, 'match' | 'hasKeyed'>>
  loadSummaries: () => Promise<Pick<SummaryService, 'story'>>
}): DraftLore {
  const { works, state, load, loadSummaries } = parts
  const hasMaterial = (workId: string) => works.get(workId).files.some(({ kind }) => kind === 'material')
  const chaptersBefore = (workId: string, path: string) => {
    const paths = works.manuscripts(workId).map((file) => file.path)
    return paths.slice(0, Math.max(0, paths.indexOf(path)))
  }
  return {
    async match(workId, scan) {
      return hasMaterial(workId) ? (await load()).match(workId, scan) : null
    },
    async isChanging(workId, path) {
      if (!hasMaterial(workId)) return false
      if (await (await load()).hasKeyed(workId, path)) return true
      if (chaptersBefore(workId, path).length === 0) return false
      const { hasStory } = await import('./draft-story.ts')
      return hasStory(await (await loadSummaries()).story(workId, path))
    },
    state: (workId) => state.getState(workId, stateKey),
    setState: (workId, next) => state.setState(workId, stateKey, next),
    async story(prepared) {
      const { workId, path } = prepared.request
      const before = chaptersBefore(workId, path)
      if (before.length === 0) return null
      const source = hasMaterial(workId) ? await (await loadSummaries()).story(workId, path) : null
      const { earlierChapters } = await import('./draft-story.ts')
      return {
        ...(source ?? { episodes: [], whole: null, unread: [] }),
        earlier: earlierChapters(prepared, before),
        textOf: (chapter) => prepared.files.find((file) => file.path === chapter)?.text,
      }
    },
  }
}
