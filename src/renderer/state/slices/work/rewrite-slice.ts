import { longestPassage, type RewritePreset } from '../../../../shared/domain/drafting/rewrite.ts'
import { readManuscript } from '../../../../shared/text/manuscript/manuscript-marks.ts'
import { languageOfText } from '../../../../shared/text/text-language.ts'
import { takesAtPlace } from '../../reducers/take-reducer.ts'
import type { SliceContext } from '../slice.ts'

/** The selection that is being rewritten. Units: UTF-16. */
type Passage = { path: string; from: number; original: string }

/** Returns the takes of the selection, oldest first; also one that is not stored yet. */
export function rewriteTakes({
  rewrite,
  runs,
  takes,
}: Pick<ReturnType<SliceContext['get']>, 'rewrite' | 'runs' | 'takes'>) {
  if (rewrite.takeId === null) return []
  const unstored = Object.values(runs.byTake)
    .filter(({ run }) => run.mode === 'rewrite' && takes.list.every(({ takeId }) => takeId !== run.takeId))
    .map(({ run }) => ({ ...run, acceptedLength: 0, createdAt: run.startedAt }))
  return takesAtPlace([...takes.list, ...unstored], rewrite.takeId)
}

/** Returns why a selection is not rewritten: a command would be removed unread, or part of a comment sent. */
function obstacleIn(text: string, from: number, to: number): 'rewrite.command' | 'rewrite.cutComment' | null {
  const marks = readManuscript(text).marks.filter((mark) => mark.from < to && mark.to > from)
  if (marks.some(({ kind }) => kind === 'command')) return 'rewrite.command'
  const isCut = marks.some((mark) => mark.kind === 'comment' && (mark.from < from || mark.to > to))
  return isCut ? 'rewrite.cutComment' : null
}

/** Rewrites what is selected: each wording is a take over the selection. */
export function createRewriteSlice({ client, get, patch, editor, tell }: SliceContext) {
  /** The presets that come with the program, in the language of the text. */
  let builtIn: readonly RewritePreset[] = []
  /** The loading of the presets; the first of them is the instruction until the author writes one. */
  let loading: Promise<void> = Promise.resolve()

  async function loadPresets(language: 'ja' | 'en'): Promise<void> {
    try {
      const loaded = (await client['draft.rewrites']({}))[language]
      const before = builtIn
      builtIn = loaded
      const presets = get().settings.value.drafting.rewrites ?? builtIn
      const { instruction } = get().rewrite
      // An instruction of the program follows the language of the text; the author's own stays.
      const known = before.findIndex((preset) => preset.instruction === instruction)
      const isKept = instruction !== '' && (known < 0 || presets !== builtIn)
      patch('rewrite', { presets })
      if (!isKept) patch('rewrite', { instruction: presets[Math.max(0, known)]?.instruction ?? '' })
    } catch (error) {
      tell(error)
    }
  }

  return {
    passage: null as Passage | null,
    /** The ways to rewrite: the author's, else those that come with the program. */
    presets: [] as readonly RewritePreset[],
    instruction: '',
    /** The shown take; null before the first. */
    takeId: null as string | null,
    placeId: null as string | null,

    /** Takes the selection and shows the dialog; a text without words has the presets of the window's language. */
    async open(windowLanguage: 'ja' | 'en') {
      const path = get().documents.activePath
      const key = editor.current?.shownKey() ?? null
      const text = key === null ? null : (editor.current?.textOf(key) ?? null)
      if (path === null || text === null || !editor.current) return
      const { selectionFrom, selectionTo } = editor.current.figures()
      const original = text.slice(selectionFrom, selectionTo)
      if (readManuscript(original).text.trim() === '') return get().ui.toast({ key: 'rewrite.noSelection' })
      const obstacle = obstacleIn(text, selectionFrom, selectionTo)
      if (obstacle !== null) return get().ui.toast({ key: obstacle })
      if (original.length > longestPassage)
        return get().ui.toast({ key: 'rewrite.tooLong', values: { limit: longestPassage } })
      patch('rewrite', { passage: { path, from: selectionFrom, original }, takeId: null, placeId: null })
      get().runs.closeFailure()
      get().ui.open({ kind: 'rewrite' })
      loading = loadPresets(languageOfText(original) ?? windowLanguage)
      await loading
    },
    setInstruction: (instruction: string) => patch('rewrite', { instruction }),

    async write() {
      // The keys may be quicker than the presets.
      await loading
      const { passage, placeId } = get().rewrite
      const instruction = get().rewrite.instruction.trim()
      if (passage === null || instruction === '') return
      const { path, from, original } = passage
      const run = await get().runs.start({
        path,
        rewrite: { from, original, instruction, ...(placeId === null ? {} : { of: placeId }) },
      })
      if (run && get().rewrite.passage === passage)
        patch('rewrite', { takeId: run.takeId, placeId: run.placeId })
    },
    step(by: -1 | 1) {
      const takes = rewriteTakes(get())
      const next = takes[takes.findIndex(({ takeId }) => takeId === get().rewrite.takeId) + by]
      if (next) patch('rewrite', { takeId: next.takeId })
    },

    async accept() {
      const { passage, takeId } = get().rewrite
      const take = rewriteTakes(get()).find((one) => one.takeId === takeId)
      if (passage === null || !take || take.text === '') return
      // The run still writes: its text is incomplete.
      if (get().runs.byTake[take.takeId]?.run.state === 'running') return
      get().ui.close()
      const { from, original } = passage
      if (!editor.current?.replaceText({ from, original, text: take.text }))
        return get().ui.toast({ key: 'rewrite.moved' })
      editor.current.focus()
      await get().takes.accepted(take.takeId, take.text.length)
    },

    /** Keeps the author's presets; null: those that come with the program again. */
    async keepPresets(presets: RewritePreset[] | null) {
      await get().settings.updateDrafting({ rewrites: presets })
      patch('rewrite', { presets: presets ?? builtIn })
    },
    close() {
      const { takeId } = get().rewrite
      const isRunning = takeId !== null && get().runs.byTake[takeId]?.run.state === 'running'
      if (isRunning || get().runs.isStarting) void get().runs.stop()
      if (get().runs.failure?.wish.rewrite) get().runs.closeFailure()
      patch('rewrite', { passage: null })
      get().ui.close()
    },
  }
}
