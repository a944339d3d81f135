import type { WritingDay, WritingGoal } from '../../../../shared/domain/work/writing-progress.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

const tellAfterMs = 5_000

type Untold = { workId: string; written: WritingDay }

/** The author's progress today, and the state of the vertical view. */
export function createWritingSlice({ client, get, patch, now, editor, tell, attempt }: SliceContext) {
  let untold: Untold | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  return {
    isVertical: false,
    showVertical(isShown: boolean) {
      patch('writing', { isVertical: isShown })
      editor.current?.showVertical(isShown)
      editor.current?.focus()
    },

    /** Counts what one change of the author's added to a manuscript, or took away; told to the host from time to time. */
    written(key: string, { characters, words }: { characters: number; words: number }) {
      const { work, documents } = get()
      const view = Object.values(documents.byPath).find((one) => one.key === key)
      const file = work.current?.files.find(({ path }) => path === view?.path)
      if (!work.current || file?.kind !== 'manuscript') return
      const { workId } = work.current
      const date = dayOf(now())
      if (untold && (untold.workId !== workId || untold.written.date !== date)) void get().writing.tell()
      untold = together(untold, { workId, written: { date, characters, words } })
      timer ??= setTimeout(() => void get().writing.tell(), tellAfterMs)
    },
    /** Tells the host what it does not know yet. */
    async tell() {
      clearTimeout(timer)
      timer = undefined
      const due = untold
      untold = null
      if (due === null || (due.written.characters === 0 && due.written.words === 0)) return
      try {
        await client['work.addWritten'](due)
      } catch (error) {
        // A lost connection has its own banner; the figure is told again with the next change.
        if (infoOf(error).code !== 'rpc/closed') tell(error)
        else untold = together(untold, due)
      }
    },
    setGoal: (goal: WritingGoal | null) =>
      attempt(async () => {
        await get().writing.tell()
        const workId = get().work.current?.workId
        if (workId !== undefined) await client['work.setGoal']({ workId, goal })
      }),
  }
}

/** Adds up what belongs to the same work and day; of two others the later one, `one`, is kept. */
function together(one: Untold | null, other: Untold): Untold {
  if (one === null) return other
  const { date, characters, words } = one.written
  if (one.workId !== other.workId || date !== other.written.date) return one
  const sum = { characters: characters + other.written.characters, words: words + other.written.words }
  return { workId: one.workId, written: { date, ...sum } }
}

/** Shape: `2026-11-22`, by the clock of this machine. */
export function dayOf(timeMs: number): string {
  const time = new Date(timeMs)
  const two = (figure: number) => String(figure).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}
