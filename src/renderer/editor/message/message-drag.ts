import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'
import { parseJson } from '../../../shared/text/json.ts'
import type { ChipStore } from './message-chips.ts'

type Dragged = { from: number; to: number }

/**
 * Drags pieces whole: within the box, with Ctrl (on a Mac, Alt) as a copy, and into that of another window; other
 * programs get the text. Images that are dropped from elsewhere go to `onImages`.
 */
export function messageDrag(chips: ChipStore, onImages: (images: readonly File[]) => void): Extension {
  let dragged: Dragged | null = null
  return EditorView.domEventHandlers({
    dragstart(event, view) {
      dragged = draggedRange(event, view)
      const segments = chips.toSegments(view.state.sliceDoc(dragged.from, dragged.to))
      const isPlain = segments.every((one) => one.kind === 'text')
      if (event.dataTransfer !== null && !isPlain) copySegments(event.dataTransfer, segments)
      // The editor adds the text and remembers that the drag is its own.
      return false
    },
    dragend() {
      dragged = null
      return false
    },
    drop(event, view) {
      const images = imagesIn(event.dataTransfer)
      if (images.length > 0) {
        event.preventDefault()
        const anchor = view.posAtCoords({ x: event.clientX, y: event.clientY }, false)
        view.dispatch({ selection: { anchor } })
        view.focus()
        onImages(images)
        return true
      }
      const pieces = event.dataTransfer && pastedSegments(event.dataTransfer)
      if (!pieces) return false
      event.preventDefault()
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false)
      const moved = dragged !== null && !isCopy(event) ? dragged : null
      dragged = null
      if (moved !== null && at >= moved.from && at <= moved.to) return true
      const changes = view.state.changes([
        ...(moved === null ? [] : [moved]),
        { from: at, insert: chips.toText(pieces) },
      ])
      view.focus()
      view.dispatch({
        changes,
        selection: { anchor: changes.mapPos(at, -1), head: changes.mapPos(at, 1) },
        userEvent: moved === null ? 'input.drop' : 'move.drop',
        scrollIntoView: true,
      })
      return true
    },
  })
}

export function imagesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'))
}

/** Returns the chip under the pointer, unless it is part of what is selected. */
function draggedRange({ target }: DragEvent, view: EditorView): Dragged {
  const { from, to } = view.state.selection.main
  const chip = target instanceof Element ? target.closest<HTMLElement>('.message-chip') : null
  if (chip === null) return { from, to }
  const at = view.posAtDOM(chip)
  if (at >= from && at < to) return { from, to }
  return { from: at, to: at + chipLength(view, at) }
}

function chipLength(view: EditorView, at: number): number {
  let end = at
  const atoms = view.state.facet(EditorView.atomicRanges).map((ranges) => ranges(view))
  for (const ranges of atoms)
    ranges.between(at, at, (from, to) => {
      if (from === at) end = to
    })
  return end - at
}

function isCopy({ ctrlKey, altKey }: DragEvent): boolean {
  return navigator.platform.startsWith('Mac') ? altKey : ctrlKey
}

/** Clipboard type of a message in its pieces; other programs see the message's text. */
const segmentsType = 'application/x-tsugi-message'

export function copySegments(data: DataTransfer, segments: readonly MessageSegment[]): void {
  data.setData('text/plain', segmentsText(segments))
  data.setData(segmentsType, JSON.stringify(segments))
}

/** Reads a message that was copied in a message box; null where something else was copied. */
export function pastedSegments(data: DataTransfer): MessageSegment[] | null {
  // Any page can write under this type: what cannot be read is not ours, and its plain text is pasted.
  return MessageSegment.array().safeParse(parseJson(data.getData(segmentsType))).data ?? null
}
