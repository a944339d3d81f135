import type { EditorState, TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { DocumentLink } from '../editor-types.ts'
import type { PausedTask, WhenPaused } from '../when-paused.ts'

/** Room that stays free around what is scrolled into sight. Units: CSS pixels. */
export const scrollMargins = { top: 32, bottom: 96 }

/** More than the room of a page above its first line. Units: CSS pixels. */
const aboveText = 1_000

/** Keeps where the author is in the shown text: the selection, and what is in sight. */
export class TextPlaces {
  readonly #view: EditorView
  readonly #shownLink: () => DocumentLink | null
  readonly #verticalPlace: () => number | null
  readonly #telling: PausedTask
  readonly #verticals = new Map<string, number>()

  constructor(
    view: EditorView,
    paused: WhenPaused,
    shown: { link(): DocumentLink | null; verticalPlace(): number | null },
  ) {
    this.#view = view
    this.#shownLink = shown.link
    this.#verticalPlace = shown.verticalPlace
    this.#telling = paused.task(() => this.#tell())
    view.scrollDOM.addEventListener('scroll', this.moved, { passive: true })
  }

  /** To be called after each move of the caret. */
  readonly moved = (): void => {
    if (this.#shownLink() !== null) this.#telling.hear()
  }

  /** Returns where the vertical view of a text was left. */
  vertical(key: string): number | null {
    return this.#verticals.get(key) ?? null
  }

  /** Stores the place if that is still due, before the text is left. */
  tell(): void {
    this.#telling.finish()
  }

  #tell(): void {
    const link = this.#shownLink()
    if (link?.place === undefined) return
    const { anchor, head } = this.#view.state.selection.main
    const vertical = this.#verticalPlace()
    if (vertical !== null) this.#verticals.set(link.key, vertical)
    link.place.write({ anchor, head, top: this.#top(), vertical: this.vertical(link.key) })
  }

  restore(link: DocumentLink, state: EditorState): TransactionSpec | null {
    if (link.place === undefined) return null
    const place = link.place.read()
    // Otherwise the page would keep the scroll position of the text that was shown before.
    if (place === null) return { effects: EditorView.scrollIntoView(0, { y: 'start', yMargin: aboveText }) }
    const end = state.doc.length
    if (place === 'end')
      return { selection: { anchor: end }, effects: EditorView.scrollIntoView(end, { y: 'end' }) }
    if (place.vertical !== null) this.#verticals.set(link.key, place.vertical)
    const within = (position: number): number => Math.min(position, end)
    // The first line comes back with the room above it.
    const yMargin = place.top === 0 ? aboveText : -scrollMargins.top
    return {
      selection: { anchor: within(place.anchor), head: within(place.head) },
      effects: EditorView.scrollIntoView(within(place.top), { y: 'start', yMargin }),
    }
  }

  stop(): void {
    this.#telling.stop()
    this.#view.scrollDOM.removeEventListener('scroll', this.moved)
  }

  #top(): number {
    const { scrollDOM, documentTop } = this.#view
    if (scrollDOM.scrollTop <= 0) return 0
    const { left, top } = scrollDOM.getBoundingClientRect()
    const x = Math.max(left, this.#view.contentDOM.getBoundingClientRect().left) + 1
    return (
      this.#view.posAtCoords({ x, y: top + 2 }, false) ?? this.#view.lineBlockAtHeight(top - documentTop).from
    )
  }
}
