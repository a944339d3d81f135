import type { FindChapter, FindHit, FindQuery, FindResult } from '../../../../shared/domain/work/find.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

export function createFindSlice(context: SliceContext) {
  const { client, get, patch } = context
  let asked = 0

  const tellUnreplaced = (changed: readonly string[], [failure]: readonly ErrorInfo[]): void => {
    const [path = ''] = changed
    if (changed.length > 0)
      get().ui.toast({ key: 'toast.notReplaced', values: { count: changed.length, path } })
    if (failure !== undefined) get().ui.toastError(failure)
  }

  const attempt = async (task: (workId: string) => Promise<void>): Promise<boolean> => {
    const workId = get().work.current?.workId
    if (workId === undefined) return false
    patch('find', { isBusy: true, error: null })
    try {
      await get().documents.flushAll()
      await task(workId)
      return true
    } catch (error) {
      patch('find', { error: infoOf(error) })
      return false
    } finally {
      patch('find', { isBusy: false })
    }
  }

  return {
    query: {
      text: '',
      isRegex: false,
      isCaseSensitive: false,
      foldsWidth: true,
      foldsKana: false,
    } as FindQuery,
    replacement: '',
    result: null as FindResult | null,
    /** Places that are not to be replaced, by `keyOfHit`. */
    left: new Set() as ReadonlySet<string>,
    isBusy: false,
    error: null as ErrorInfo | null,
    /** The last replacement, as long as it can be taken back. */
    lastReplace: null as { workId: string; replaceId: string } | null,

    /** Changes the query and forgets the hits, which are those of another query. */
    setQuery(query: Partial<FindQuery>) {
      asked += 1
      patch('find', { query: { ...get().find.query, ...query }, result: null, left: new Set(), error: null })
    },
    /** Changes the replacement. Hits and choices stay; groups of a regular expression are filled in anew. */
    setReplacement(replacement: string) {
      const { query, result } = get().find
      if (!query.isRegex)
        return patch('find', { replacement, result: result && inserting(result, replacement) })
      asked += 1
      patch('find', { replacement, result: null, left: new Set(), error: null })
    },
    async find() {
      const { query, replacement } = get().find
      const mine = ++asked
      if (query.text === '') return
      await attempt(async (workId) => {
        const found = await client['work.find']({ workId, query, replacement })
        if (mine !== asked) return
        const result = query.isRegex ? found : inserting(found, get().find.replacement)
        patch('find', { result, left: new Set() })
      })
    },
    choose(path: string, hits: readonly FindHit[], isChosen: boolean) {
      const left = new Set(get().find.left)
      for (const hit of hits) {
        if (isChosen) left.delete(keyOfHit(path, hit))
        else left.add(keyOfHit(path, hit))
      }
      patch('find', { left })
    },
    /** Replaces the chosen hits; returns false where nothing was replaced. */
    async replace() {
      const { result, left } = get().find
      if (result === null) return false
      const chosen = result.chapters
        .map(({ path, hash, hits }) => ({
          path,
          hash,
          edits: hits
            .filter((hit) => !left.has(keyOfHit(path, hit)))
            .map(({ from, to, insert }) => ({ from, to, insert })),
        }))
        .filter(({ edits }) => edits.length > 0)
      if (chosen.length === 0) return false
      return attempt(async (workId) => {
        const { replaceId, count, files, changed, failed } = await client['work.replace']({ workId, chosen })
        patch('find', { result: null, left: new Set(), lastReplace: { workId, replaceId } })
        const undo = { key: 'action.undo', run: () => void get().find.undo() } as const
        get().ui.toast({ key: 'toast.replaced', values: { count, files } }, undo)
        tellUnreplaced(changed, failed)
      })
    },
    async undo() {
      const { lastReplace } = get().find
      const workId = get().work.current?.workId
      if (lastReplace === null || lastReplace.workId !== workId) return
      patch('find', { lastReplace: null })
      await context.attempt(async () => {
        await get().documents.flushAll()
        const { files, changed, failed } = await client['work.undoReplace'](lastReplace)
        get().ui.toast({ key: 'toast.replaceUndone', values: { files } })
        tellUnreplaced(changed, failed)
      })
    },
    /** Forgets what was found; the query stays. */
    clear() {
      asked += 1
      patch('find', { result: null, left: new Set(), error: null })
    },
  }
}

/** Returns the hits of a search for words with another text in their place. */
function inserting(result: FindResult, insert: string): FindResult {
  const chapters = result.chapters.map((chapter) => ({
    ...chapter,
    hits: chapter.hits.map((hit) => ({ ...hit, insert })),
  }))
  return { ...result, chapters }
}

export function keyOfHit(path: string, hit: FindHit): string {
  return `${hit.from} ${path}`
}

export function chosenCount(chapters: readonly FindChapter[], left: ReadonlySet<string>): number {
  return chapters.reduce(
    (sum, { path, hits }) => sum + hits.filter((hit) => !left.has(keyOfHit(path, hit))).length,
    0,
  )
}
