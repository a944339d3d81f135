import { type DragEvent, type RefObject, useRef, useState } from 'react'
import { useAppStore } from '../../state/store-context.tsx'

/** The chapter beside which the dragged one would go, and the side. */
type DropPlace = { path: string; side: 'before' | 'after' }

/** The dragging of chapters, for their list and each row of it. Shape: `path` is the dragged one's. */
export type ChapterDrag = {
  path: string | null
  place: DropPlace | null
  list: RefObject<HTMLUListElement | null>
  begin(path: string): void
  end(): void
}

type DropArea = Record<'onDragOver' | 'onDragLeave' | 'onDrop', (event: DragEvent<HTMLElement>) => void>

/** Lets the user drag chapters to another place. A drop anywhere in the panel counts; below all rows is the end. */
export function useChapterDrag(): { drag: ChapterDrag; area: DropArea } {
  const store = useAppStore()
  const list = useRef<HTMLUListElement>(null)
  const [path, setPath] = useState<string | null>(null)
  const [place, setPlace] = useState<DropPlace | null>(null)
  const end = () => {
    setPath(null)
    setPlace(null)
  }
  return {
    drag: { path, place, list, begin: setPath, end },
    area: {
      onDragOver(event) {
        if (path === null) return
        event.preventDefault()
        const next = placeAt(list.current, event.clientY)
        if (next?.path !== place?.path || next?.side !== place?.side) setPlace(next)
      },
      onDragLeave({ currentTarget, relatedTarget }) {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setPlace(null)
      },
      onDrop(event) {
        if (path === null) return
        event.preventDefault()
        const to = placeAt(list.current, event.clientY)
        if (to !== null && to.path !== path) void store.getState().work.moveBeside(path, to.path, to.side)
        end()
      },
    },
  }
}

/** Returns the place before the first row whose middle is below the pointer, else behind the last row. */
function placeAt(list: HTMLElement | null, y: number): DropPlace | null {
  const rows = [...(list?.querySelectorAll<HTMLElement>('.file-open') ?? [])]
  const next = rows.find((row) => {
    const { top, height } = row.getBoundingClientRect()
    return y < top + height / 2
  })
  const row = next ?? rows.at(-1)
  return row === undefined ? null : { path: row.title, side: next === undefined ? 'after' : 'before' }
}
