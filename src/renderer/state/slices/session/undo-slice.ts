import type {
  TurnFile,
  UndoChoice,
  UndoPreview,
  UndoResult,
  UndoSide,
} from '../../../../shared/domain/session/undo.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { diffHunks, type Hunk } from '../../../../shared/text/difference/hunks.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

export type UndoWhat = 'files' | 'conversation' | 'both'

/** A file as it is now, to compare before something is written over it. Null where there is none yet. */
export type ComparedFile = { path: string; text: string | null; hash: string | null }

/** Decided places of a preview, by the file's path and the place's index. */
export type UndoSides = Record<string, Record<number, UndoSide>>

export function openUndoPlaces(preview: UndoPreview, sides: UndoSides): number {
  return preview.files.reduce(
    (sum, { path, places }) => sum + places.filter(({ index }) => sides[path]?.[index] === undefined).length,
    0,
  )
}

const initial = {
  preview: null as UndoPreview | null,
  sides: {} as UndoSides,
  compared: null as ComparedFile | null,
  isBusy: false,
  error: null as ErrorInfo | null,
}

/** Taking back turns, and writing a text of the conversation into a file. */
export function createUndoSlice(context: SliceContext) {
  const { client, get, patch, tell } = context
  let asked = 0

  /** Only the last request counts; what an older one answers is not shown. */
  const attempt = async (task: () => Promise<Partial<typeof initial>>): Promise<boolean> => {
    const mine = ++asked
    patch('undo', { isBusy: true, error: null })
    try {
      const part = await task()
      if (mine === asked) patch('undo', { ...part, isBusy: false })
      return true
    } catch (error) {
      if (mine === asked) patch('undo', { error: infoOf(error), isBusy: false })
      return false
    }
  }

  const takeBack = async (workId: string, undoId: string) => {
    try {
      const { path } = await client['work.restoreFile']({ workId, undoId })
      get().ui.toast({ key: 'apply.undone', values: { path } })
    } catch (error) {
      tell(error)
    }
  }

  /** Returns the decisions on the contents that were shown. */
  const choices = (): UndoChoice[] => {
    const { preview, sides } = get().undo
    return (preview?.files ?? []).flatMap(({ path, hash, places }) => {
      const decided = places.flatMap(({ index }) => {
        const side = sides[path]?.[index]
        return side === undefined ? [] : { index, side }
      })
      return hash === null || decided.length === 0 ? [] : { path, hash, places: decided }
    })
  }

  const tellResult = (
    sessionId: string,
    done: 'undo' | 'redo',
    { kept, left, canRedo }: UndoResult,
  ): void => {
    const open = () => {
      get().conversation.open(sessionId)
      get().ui.open({ kind: 'undo-turn', turn: null })
    }
    const redo = canRedo ? ({ key: 'action.redo', run: open } as const) : undefined
    if (left.length > 0) get().ui.toast({ key: `${done}.left`, values: { paths: left } }, redo)
    else if (kept.length > 0) get().ui.toast({ key: `${done}.kept`, values: { paths: kept } }, redo)
    else get().ui.toast({ key: `${done}.done` }, redo)
  }

  return {
    ...initial,

    /** Previews what undoing from `turn` on would do; null: what taking the last undo back would do. */
    async loadPreview(turn: number | null) {
      const sessionId = get().conversation.current?.sessionId
      if (sessionId === undefined) return
      await attempt(async () => {
        const preview =
          turn === null
            ? await client['session.redoPreview']({ sessionId })
            : await client['session.undoPreview']({ sessionId, turn })
        return { preview, sides: {} }
      })
    },
    choose(path: string, index: number, side: UndoSide) {
      const { sides } = get().undo
      patch('undo', { sides: { ...sides, [path]: { ...sides[path], [index]: side } } })
    },
    /** Decides every place that can get this side. */
    chooseAll(side: UndoSide) {
      const files = get().undo.preview?.files ?? []
      const isFor = (isWhole: boolean): boolean => !isWhole || side !== 'both'
      const sides = files.flatMap(({ path, places, isWhole }) =>
        isFor(isWhole) && places.length > 0
          ? [[path, Object.fromEntries(places.map(({ index }) => [index, side]))] as const]
          : [],
      )
      patch('undo', { sides: { ...get().undo.sides, ...Object.fromEntries(sides) } })
    },
    /** False where it failed; then `error` says why. */
    async undo(turn: number, what: UndoWhat) {
      const sessionId = get().conversation.current?.sessionId
      if (sessionId === undefined) return false
      return attempt(async () => {
        const decided = what === 'conversation' ? [] : choices()
        const message = get().conversation.current?.items.find(
          (item) => item.kind === 'user' && item.turn === turn && item.how !== 'beside',
        )
        const result = await client['session.undo']({ sessionId, turn, what, choices: decided })
        tellResult(sessionId, 'undo', result)
        // The removed message goes back into the box.
        if (what !== 'files' && message?.kind === 'user') get().composer.giveBack(message.segments, sessionId)
        return {}
      })
    },
    async redo() {
      const sessionId = get().conversation.current?.sessionId
      if (sessionId === undefined) return false
      return attempt(async () => {
        tellResult(sessionId, 'redo', await client['session.redo']({ sessionId, choices: choices() }))
        return {}
      })
    },
    async compare(path: string) {
      const workId = get().work.current?.workId
      if (workId === undefined) return
      patch('undo', { compared: null })
      await attempt(async () => {
        const now = await client['session.previewApply']({ workId, path })
        return { compared: { path, ...now } }
      })
    },
    /** Writes over the compared file; a notice offers to take it back. */
    async apply(text: string) {
      const workId = get().work.current?.workId
      const { compared } = get().undo
      if (workId === undefined || compared === null) return false
      const { path, hash } = compared
      return attempt(async () => {
        const { undoId } = await client['session.applyText']({ workId, path, hash, text })
        get().ui.toast(
          { key: 'apply.done', values: { path } },
          { key: 'action.undo', run: () => void takeBack(workId, undoId) },
        )
        return {}
      })
    },
    clear() {
      asked += 1
      patch('undo', initial)
    },
  }
}

/** Shape: `hunks` is null where the texts cannot be shown. */
export type LoadedTurnFile = TurnFile & { hunks: Hunk[] | null }
type TurnFilesState = { files: readonly LoadedTurnFile[] | null; error: ErrorInfo | null }

export function turnKey(sessionId: string, turn: number, changes: number): string {
  return `${sessionId} ${turn} ${changes}`
}

export function createTurnFilesSlice({ client, get, patch }: SliceContext) {
  const put = (key: string, state: TurnFilesState) =>
    patch('turnFiles', { turns: { ...get().turnFiles.turns, [key]: state } })
  return {
    /** By `turnKey`; loaded as they come on the screen. */
    turns: {} as Readonly<Record<string, TurnFilesState>>,

    /** `changes`: the turn's change sets by now; with another number it is loaded anew. */
    async load(turn: number, changes: number) {
      const sessionId = get().conversation.current?.sessionId
      if (sessionId === undefined) return
      const key = turnKey(sessionId, turn, changes)
      const known = get().turnFiles.turns[key]
      if (known !== undefined && known.error === null) return
      put(key, { files: null, error: null })
      try {
        const { files } = await client['session.turnFiles']({ sessionId, turn })
        const loaded = files.map((file) => ({
          ...file,
          hunks: file.texts && diffHunks(file.texts.old ?? '', file.texts.new ?? ''),
        }))
        put(key, { files: loaded, error: null })
      } catch (error) {
        put(key, { files: null, error: infoOf(error) })
      }
    },
  }
}
