import type { DraftPreview } from '../../../../shared/domain/drafting/draft-preview.ts'
import type { FitMode } from '../../../../shared/domain/drafting/draft-settings.ts'
import type { Run, RunFigures } from '../../../../shared/domain/drafting/run.ts'
import type { RolledValue } from '../../../../shared/domain/drafting/take.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'
import { isPaneOpen } from '../ui-slice.ts'

/** Cost of reading a page as it is, and with a held beginning. Units: tokens. */
type AnchorOffer = { readTokens: number; anchoredTokens: number }

const settleMs = 700
/** Pages in a row that must have read most of their prompt anew before anything is offered. */
const judgedPages = 2
const leastReuse = 0.5

export function createPreviewSlice(context: SliceContext) {
  const { client, get, patch, memory, attempt } = context
  let timer: ReturnType<typeof setTimeout> | undefined
  let controller = new AbortController()
  /** The root of the work that `shortened` is about. */
  let warnedRoot: string | undefined
  /** Figures of the last pages of one work with one model. */
  let pages: { workId: string | null; profileId: string | null; figures: RunFigures[] } = {
    workId: null,
    profileId: null,
    figures: [],
  }

  const isVisible = () => {
    const { ui } = get()
    // The dialog of summaries offers to tell together those that the prompt has no room for.
    return ui.dialog?.kind === 'summaries' || (isPaneOpen(ui, 'side') && ui.tab === 'context')
  }
  const request = () => {
    const workId = get().work.current?.workId
    const path = get().documents.activePath
    const { mode } = get().ideas
    if (!workId || (path === null && mode === 'generate')) return null
    return { workId, path: path ?? '', mode }
  }

  let newest: Promise<void> | undefined
  const load = async () => {
    const input = request()
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    if (input === null) return patch('preview', { value: null, isLoading: false })
    patch('preview', { isLoading: true, error: null })
    try {
      const value = await client['draft.preview'](input, { signal })
      if (!signal.aborted) patch('preview', { value, isLoading: false })
    } catch (error) {
      if (!signal.aborted) patch('preview', { error: infoOf(error), isLoading: false })
    }
  }
  const refreshAfter = async (call: 'draft.reroll' | 'draft.tellSummaries') => {
    const input = request()
    if (input === null) return
    await attempt(async () => {
      await client[call]({ workId: input.workId })
      await get().preview.refresh()
    })
  }

  return {
    value: null as DraftPreview | null,
    isLoading: false,
    error: null as ErrorInfo | null,
    /** Less than half of the body is sent; shown until it is put away, once per work. */
    shortened: null as { keptChars: number; bodyChars: number } | null,
    /** An offer where most of each page is read anew and need not be; shown until it is answered, once per model. */
    anchorOffer: null as AnchorOffer | null,
    /** True where text alone is to be offered no more in the open work. */
    isFormAnswered: true,

    /** Loads the preview again soon, where it is shown. Call it when a part of the prompt has changed. */
    invalidate() {
      clearTimeout(timer)
      if (isVisible()) timer = setTimeout(() => void get().preview.refresh(), settleMs)
      else patch('preview', { value: null })
    },

    /** Loads the preview now. Resolves with the newest one, also where another call has replaced this one. */
    async refresh() {
      newest = load()
      for (let awaited: Promise<void> | undefined; awaited !== newest; ) {
        awaited = newest
        await awaited
      }
    },

    reroll: () => refreshAfter('draft.reroll'),
    /** Has the next page tell the present summaries. */
    tellSummaries: () => refreshAfter('draft.tellSummaries'),

    /** Writes a rolled word into the manuscript or the details. */
    async fix(roll: RolledValue) {
      const input = request()
      if (input === null) return
      await attempt(async () => {
        await get().documents.flush(roll.path ?? input.path)
        await client['draft.fixRoll']({ workId: input.workId, roll })
      })
      await get().preview.refresh()
    },

    /** Warns the author after a run, where he must learn that the body was cut. */
    async warnOnce() {
      const root = get().work.current?.root
      const isSaid = () => memory.read(`shortened.${root}`) !== null
      if (root === undefined || isSaid()) return
      await get().preview.refresh()
      const { value } = get().preview
      // Another run of the work may have ended meanwhile, or another work been opened.
      if (isSaid() || get().work.current?.root !== root || !value?.isShortened) return
      memory.write(`shortened.${root}`, 'said')
      warnedRoot = root
      patch('preview', { shortened: { keptChars: value.keptChars, bodyChars: value.bodyChars } })
    },
    closeWarning: () => patch('preview', { shortened: null }),

    followWork() {
      const root = get().work.current?.root
      controller.abort()
      const isFormAnswered = root === undefined || memory.read(`form.${root}`) !== null
      const shortened = root === warnedRoot ? get().preview.shortened : null
      patch('preview', { value: null, isLoading: false, error: null, shortened, isFormAnswered })
      get().preview.invalidate()
    },
    answerForm(isAccepted: boolean) {
      const root = get().work.current?.root
      if (root !== undefined) memory.write(`form.${root}`, 'answered')
      patch('preview', { isFormAnswered: true })
      if (isAccepted) void get().work.updateDetails({ promptForm: 'text' })
    },

    /** Decides after a run whether a held beginning is worth an offer. */
    async noteRun({ workId, state, figures }: Run) {
      const { profileId } = get().models.status
      if (workId !== pages.workId || profileId !== pages.profileId) pages = { workId, profileId, figures: [] }
      if (state !== 'finished') return
      pages.figures = [...pages.figures, figures].slice(-judgedPages)
      if (profileId === null || memory.read(`anchored.${profileId}`) !== null) return
      if (pages.figures.length < judgedPages || !pages.figures.every(isReadAnew)) return
      await get().preview.refresh()
      const { value: preview } = get().preview
      const { fitMode } = get().settings.value.drafting
      const offer = preview && anchorOffer({ pages: pages.figures, preview, fitMode })
      if (offer === null) return
      memory.write(`anchored.${profileId}`, 'offered')
      patch('preview', { anchorOffer: offer })
    },
    answerOffer(isAccepted: boolean) {
      patch('preview', { anchorOffer: null })
      if (isAccepted) void get().settings.updateDrafting({ fitMode: 'anchored' })
    },
  }
}

/** True where a page read most of its prompt anew; false where the tokens were not counted. */
function isReadAnew({ promptTokens, reusedTokens }: RunFigures): boolean {
  return promptTokens !== null && reusedTokens !== null && reusedTokens < promptTokens * leastReuse
}

/**
 * Returns what `anchored` would save, where it would: the text is longer than the context, its beginning moves
 * with each page by the author's choice, and the last pages read most of it anew. Where the author chose no mode, the
 * host finds the one that suits.
 */
export function anchorOffer(given: {
  pages: readonly RunFigures[]
  preview: DraftPreview
  fitMode: FitMode
}): AnchorOffer | null {
  const { preview, fitMode } = given
  const pages = given.pages.slice(-judgedPages)
  const last = pages.at(-1)
  if (fitMode !== 'token_dynamic' || last === undefined) return null
  if (pages.length < judgedPages || !pages.every(isReadAnew)) return null
  if (preview.problem !== null || preview.keptChars >= preview.bodyChars) return null
  const read = pages.map(({ promptTokens, reusedTokens }) => (promptTokens ?? 0) - (reusedTokens ?? 0))
  const readTokens = Math.round(read.reduce((sum, tokens) => sum + tokens, 0) / read.length)
  // Behind a held beginning only the page that came last and what stands after the text is new.
  const { note = 0, tail = 0, suffix = 0 } = preview.tokensByOrigin
  const anchoredTokens = last.completionTokens + note + tail + suffix
  return anchoredTokens < readTokens ? { readTokens, anchoredTokens } : null
}
