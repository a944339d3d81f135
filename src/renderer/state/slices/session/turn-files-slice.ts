import type { TurnFile } from '../../../../shared/domain/session/undo.ts'
import type { ErrorInfo } from '../../../../shared/errors.ts'
import { diffHunks, type Hunk } from '../../../../shared/text/difference/hunks.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

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
