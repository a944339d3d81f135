import { type EditorState, type Extension, RangeSetBuilder, type StateEffectType } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view'
import type { MessageSegment } from '../../../shared/domain/session/message-segment.ts'
import { rangeBehind } from './reference-query.ts'

/** A segment that is one indivisible piece in the box. */
export type ChipSegment = Exclude<MessageSegment, { kind: 'text' }>

export type ChipWords = {
  name(segment: ChipSegment): string
  /** Further information about the chip; null where there is none. */
  mark(segment: ChipSegment): string | null
  /** Label of the press that replaces a chip by its text. */
  unfold: string
  /** Label of the button that removes an image. */
  remove(segment: ChipSegment): string
  /** Returns the address of an image; null where it is not kept any more. */
  picture(imageId: string): Promise<string | null>
}

/** In the document a chip is its number between these two characters of the private use area. */
const open = '\uE000'
const close = '\uE001'
const chipPattern = new RegExp(`${open}(\\d+)${close}`, 'g')
/** Longer than any line range behind a chip. Units: UTF-16 units. */
const longestRange = 24
const markers = new RegExp(`[${open}${close}]`, 'g')

/** The chips of a box. They outlive their deletion, so that undo brings them back. */
export class ChipStore {
  readonly #chips: ChipSegment[] = []

  /** Adds a chip and returns the text that stands for it in the document. */
  add(segment: ChipSegment): string {
    this.#chips.push(segment)
    return `${open}${this.#chips.length - 1}${close}`
  }

  get(number: string): ChipSegment | undefined {
    return this.#chips[Number(number)]
  }

  toText(segments: readonly MessageSegment[]): string {
    return segments
      .map((segment) => (segment.kind === 'text' ? withoutMarkers(segment.text) : this.add(segment)))
      .join('')
  }

  /** Reads a document as segments; empty text is left out. Line numbers typed behind a file belong to that file. */
  toSegments(text: string): MessageSegment[] {
    const segments: MessageSegment[] = []
    let at = 0
    const addText = (end: number) => {
      const piece = withoutMarkers(text.slice(at, end))
      if (piece !== '') segments.push({ kind: 'text', text: piece })
    }
    for (const match of text.matchAll(chipPattern)) {
      const chip = this.get(match[1] ?? '')
      if (!chip) continue
      addText(match.index)
      at = match.index + match[0].length
      const lines = linesBehind(chip, text, at)
      segments.push(lines === null ? chip : { kind: 'file-ref', path: lines.path, range: lines.range })
      at += lines?.length ?? 0
    }
    addText(text.length)
    return segments
  }
}

function linesBehind(chip: ChipSegment, text: string, at: number) {
  if (chip.kind !== 'file-ref' || chip.range !== null) return null
  const found = rangeBehind(text.slice(at, at + longestRange))
  return found && { path: chip.path, ...found }
}

/** Removes chip markers: text from outside must not be able to name a chip. */
export function withoutMarkers(text: string): string {
  return text.replace(markers, '')
}

const typedLines = Decoration.mark({ class: 'message-chip-lines' })

class ChipWidget extends WidgetType {
  readonly segment: ChipSegment
  readonly words: ChipWords

  constructor(segment: ChipSegment, words: ChipWords) {
    super()
    this.segment = segment
    this.words = words
  }

  override eq(other: ChipWidget): boolean {
    return other.segment === this.segment && other.words === this.words
  }

  override toDOM(view: EditorView): HTMLElement {
    const chip = document.createElement('span')
    chip.className = `message-chip message-chip-${this.segment.kind}`
    if (this.segment.kind === 'image') this.#showPicture(chip, this.segment.image.imageId)
    chip.append(this.words.name(this.segment))
    chip.draggable = this.segment.kind === 'file-ref'
    const mark = this.words.mark(this.segment)
    if (mark !== null) {
      const note = chip.appendChild(document.createElement('span'))
      note.className = 'message-chip-mark'
      note.textContent = mark
    }
    if (this.segment.kind === 'paste') {
      const { text } = this.segment
      chip.title = this.words.unfold
      chip.addEventListener('mousedown', (event) => {
        event.preventDefault()
        putInPlace(view, chip, withoutMarkers(text))
      })
    }
    if (this.segment.kind === 'image') {
      const button = chip.appendChild(document.createElement('button'))
      button.type = 'button'
      button.className = 'message-chip-remove'
      button.textContent = '×'
      button.setAttribute('aria-label', this.words.remove(this.segment))
      button.addEventListener('click', () => {
        putInPlace(view, chip, '')
        view.focus()
      })
    }
    return chip
  }

  #showPicture(chip: HTMLElement, imageId: string): void {
    const picture = chip.appendChild(document.createElement('img'))
    picture.alt = ''
    this.words.picture(imageId).then(
      (address) => {
        if (address !== null) picture.src = address
      },
      // The image's name stands beside it.
      () => picture.remove(),
    )
  }

  /** Only drag events reach the editor. */
  override ignoreEvent(event: Event): boolean {
    return !/^(?:drag|drop)/.test(event.type)
  }
}

function putInPlace(view: EditorView, chip: HTMLElement, insert: string): void {
  const from = view.posAtDOM(chip)
  const to = from + (view.state.sliceDoc(from).match(chipPattern)?.[0].length ?? 0)
  view.dispatch({ changes: { from, to, insert }, userEvent: insert === '' ? 'delete' : 'input' })
}

/** Shows the chips of `store` and keeps them whole: the caret passes them in one step. */
export function messageChips(
  store: ChipStore,
  words: () => ChipWords,
  relabel: StateEffectType<null>,
): Extension {
  const build = (state: EditorState): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>()
    const text = state.doc.toString()
    for (const match of text.matchAll(chipPattern)) {
      const chip = store.get(match[1] ?? '')
      if (!chip) continue
      const widget = new ChipWidget(chip, words())
      const end = match.index + match[0].length
      builder.add(match.index, end, Decoration.replace({ widget }))
      const lines = linesBehind(chip, text, end)
      if (lines !== null) builder.add(end, end + lines.length, typedLines)
    }
    return builder.finish()
  }
  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      chips: DecorationSet
      constructor(view: EditorView) {
        this.decorations = build(view.state)
        this.chips = wholeOnly(this.decorations)
      }
      update(update: ViewUpdate) {
        const isRelabelled = update.transactions.some((one) =>
          one.effects.some((effect) => effect.is(relabel)),
        )
        if (!update.docChanged && !isRelabelled) return
        this.decorations = build(update.state)
        this.chips = wholeOnly(this.decorations)
      }
    },
    { decorations: (value) => value.decorations },
  )
  return [plugin, EditorView.atomicRanges.of((view) => view.plugin(plugin)?.chips ?? Decoration.none)]
}

/** Leaves out the lines behind a chip, which are edited like any text. */
function wholeOnly(decorations: DecorationSet): DecorationSet {
  return decorations.update({ filter: (_from, _to, one) => one !== typedLines })
}
