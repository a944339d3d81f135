import type { TransferMode } from '../../../../shared/domain/drafting/draft-settings.ts'
import type { Take, TakeRecord, TakeState } from '../../../../shared/domain/drafting/take.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { mergeTakes, takesAtPlace, takesOf } from '../../reducers/take-reducer.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

const pageLength = 50

export function createTakesSlice(context: SliceContext) {
  const { client, get, patch, follow, editor, attempt } = context
  let stop: (() => void) | undefined

  const merge = (takes: readonly Take[]) => patch('takes', { list: mergeTakes(get().takes.list, takes) })
  const find = (takeId: string) => get().takes.list.find((take) => take.takeId === takeId)

  const update = async (takeId: string, state: TakeState, acceptedLength?: number, isWhole?: boolean) => {
    await attempt(async () => {
      const { take } = await client['take.update']({
        takeId,
        state,
        ...(acceptedLength === undefined ? {} : { acceptedLength }),
        ...(isWhole && { isWhole }),
      })
      merge([take])
    })
  }

  const page = async (before?: string) => {
    const workId = get().work.current?.workId
    const path = get().documents.activePath
    if (!workId || path === null) return
    patch('takes', { isLoading: true, error: null })
    try {
      const answer = await client['take.list']({
        workId,
        path,
        except: ['idea', 'summary'],
        limit: pageLength,
        ...(before ? { before } : {}),
      })
      if (get().work.current?.workId === workId) merge(answer.takes)
      if (get().documents.activePath === path) patch('takes', { hasMore: answer.hasMore })
    } catch (error) {
      patch('takes', { error: infoOf(error) })
    } finally {
      patch('takes', { isLoading: false })
    }
  }

  return {
    /** Takes of the open work that were loaded, newest first. */
    list: [] as Take[],
    hasMore: false,
    isLoading: false,
    error: null as ErrorInfo | null,
    record: null as TakeRecord | null,

    follow(workId: string | null) {
      stop?.()
      stop = undefined
      patch('takes', { list: [], hasMore: false, record: null, error: null })
      if (workId === null) return
      stop = follow(
        (signal) => client['take.watch']({ workId }, { signal }),
        ({ take }) => {
          const before = find(take.takeId)
          merge([take])
          get().summaries.heard(take, before)
        },
        (error) => patch('takes', { error: infoOf(error) }),
      )
      void get().takes.load()
    },
    load: () => page(),
    async loadMore() {
      const last = takesOf(get().takes.list, get().documents.activePath).at(-1)
      await page(last?.takeId)
    },
    merge,

    /** `isWhole`: all that was shown of the take is in the text. */
    accepted: (takeId: string, acceptedLength: number, isWhole?: boolean) =>
      update(takeId, 'inserted', acceptedLength, isWhole),
    async setAside(takeId: string) {
      // A take that is partly in the manuscript, or was marked, keeps its state.
      const state = find(takeId)?.state ?? 'pending'
      if (state === 'pending') await update(takeId, 'dismissed')
    },
    /** Sets aside all takes of the place of a take: otherwise the next page would be offered the others. */
    async dismiss(takeId: string) {
      await get().takes.setAside(takeId)
      for (const take of takesAtPlace(get().takes.list, takeId)) await get().takes.setAside(take.takeId)
    },
    keep: (takeId: string, isKept: boolean) => update(takeId, isKept ? 'kept' : 'dismissed'),
    async insert(takeId: string) {
      const take = find(takeId)
      if (!take || editor.current === null) return
      const offer = get().documents.activePath && get().runs.offers[get().documents.activePath ?? '']
      if (offer && offer.takeId === takeId && editor.current.acceptPending()) return editor.current.focus()
      if (take.rewrite) {
        const { from, original } = take.rewrite
        const { text, placeId } = take
        const shown = editor.current
        // An accepted wording stands in place of the original: what reads like the original is another sentence.
        const accepted = get().takes.list.filter((one) => one.placeId === placeId && one.acceptedLength > 0)
        const standing = accepted.length > 0 ? accepted.map((one) => one.text) : [original]
        if (!standing.some((old) => shown.replaceText({ from, original: old, text })))
          return get().ui.toast({ key: 'rewrite.moved' })
        shown.focus()
        return update(takeId, 'inserted', take.text.length)
      }
      const { transferMode, transferBlankLines } = get().settings.value.drafting
      const figures = editor.current.figures()
      const key = editor.current.shownKey()
      const text = (key === null ? null : editor.current.textOf(key)) ?? ''
      const { at, insert } = transferText(text, figures.selectionTo, take.text, {
        mode: transferMode,
        blankLines: transferBlankLines,
      })
      if (!editor.current.insertTake({ text: insert, at, origin: 'take' }))
        return get().ui.toast({ key: 'takes.notInserted' })
      editor.current.focus()
      await update(takeId, 'inserted', take.text.length)
    },

    async insertPart(takeId: string, part: string) {
      if (editor.current === null) return
      if (!editor.current.insertTake({ text: part, origin: 'take' }))
        return get().ui.toast({ key: 'takes.notInserted' })
      editor.current.focus()
      // An open offer stays at its place.
      if (find(takeId)?.state === 'dismissed') await update(takeId, 'inserted')
    },

    async showPrompt(takeId: string) {
      get().ui.showTab('context')
      await attempt(async () => patch('takes', { record: await client['take.get']({ takeId }) }))
    },
    hidePrompt: () => patch('takes', { record: null }),
  }
}

/**
 * Returns the position and the form of a text that the author transfers by hand. A new line comes after the caret's
 * line, after `blankLines` blank ones.
 *
 * Units: UTF-16 positions of `document`.
 * Source: `docs/decisions/drafting.md`, "Generating": transfer by hand.
 */
export function transferText(
  document: string,
  caret: number,
  text: string,
  { mode, blankLines }: { mode: TransferMode; blankLines: number },
): { at: number; insert: string } {
  const found = document.indexOf('\n', caret)
  const lineEnd = found < 0 ? document.length : found
  const isOnNewLine = mode === 'next_line_always' || (mode === 'next_line_eol' && caret === lineEnd)
  if (!isOnNewLine) return { at: caret, insert: text }
  return { at: lineEnd, insert: '\n'.repeat(1 + blankLines) + text }
}
