import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { Compartment, EditorState, Prec, StateEffect } from '@codemirror/state'
import { EditorView, keymap, placeholder } from '@codemirror/view'
import type { MessageSegment } from '../../shared/domain/message-segment.ts'
import { ChipStore, type ChipWords, messageChips, withoutMarkers } from './message-chips.ts'

/** What stands in the box, and where the caret is in it. */
export type MessageValue = {
  segments: MessageSegment[]
  isEmpty: boolean
  /** The text up to the caret where the message is plain text, null where it has other pieces. */
  plainText: string | null
  isCaretAtStart: boolean
  isCaretAtEnd: boolean
}

export type MessageLabels = { box: string; placeholder: string; chips: ChipWords }

export type MessageEvents = {
  onChange(value: MessageValue): void
  /** True where the key is used up. Keys that belong to an input method never come here. */
  onKey(event: KeyboardEvent, value: MessageValue): boolean
}

export type MessageEditor = {
  value(): MessageValue
  setSegments(segments: readonly MessageSegment[]): void
  setLabels(labels: MessageLabels): void
  /** Which option of the list over the box is chosen, for screen readers; null: there is no list. */
  setChosenOption(id: string | null): void
  focus(): void
  destroy(): void
}

/** Longer pastes become one chip. Units: UTF-16 units, lines. */
const longPaste = { characters: 1_500, lines: 20 }

export function isLongPaste(text: string): boolean {
  return text.length > longPaste.characters || text.split('\n').length > longPaste.lines
}

/** The box that a message is written in: plain text over several lines, with pieces that stay whole. */
export function createMessageEditor(options: {
  parent: HTMLElement
  cspNonce?: string
  labels: MessageLabels
  events: MessageEvents
}): MessageEditor {
  const chips = new ChipStore()
  const relabel = StateEffect.define<null>()
  const labelled = new Compartment()
  const option = new Compartment()
  let { labels } = options

  const attributes = () => [
    placeholder(labels.placeholder),
    EditorView.contentAttributes.of({
      'aria-label': labels.box,
      'aria-multiline': 'true',
      spellcheck: 'true',
    }),
  ]
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      extensions: [
        options.cspNonce ? EditorView.cspNonce.of(options.cspNonce) : [],
        Prec.highest(
          EditorView.domEventHandlers({
            keydown(event) {
              if (event.isComposing || event.keyCode === 229 || view.composing) return false
              if (!options.events.onKey(event, readValue(view, chips))) return false
              event.preventDefault()
              return true
            },
            paste(event) {
              const text = event.clipboardData?.getData('text/plain') ?? ''
              if (!isLongPaste(text)) return false
              event.preventDefault()
              const chip = chips.add({ kind: 'paste', text: text.replace(/\r\n?/g, '\n') })
              view.dispatch(view.state.replaceSelection(chip), { userEvent: 'input.paste' })
              return true
            },
          }),
        ),
        EditorView.clipboardInputFilter.of((text) => withoutMarkers(text)),
        EditorView.clipboardOutputFilter.of((text) => plainTextOf(chips.toSegments(text))),
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        messageChips(chips, () => labels.chips, relabel),
        labelled.of(attributes()),
        option.of([]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged || update.selectionSet) options.events.onChange(readValue(view, chips))
        }),
        messageTheme,
      ],
    }),
  })

  return {
    value: () => readValue(view, chips),
    setSegments(segments) {
      const insert = chips.toText(segments)
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert },
        selection: { anchor: insert.length },
        scrollIntoView: true,
      })
    },
    setLabels(next) {
      labels = next
      view.dispatch({ effects: [labelled.reconfigure(attributes()), relabel.of(null)] })
    },
    setChosenOption(id) {
      const attribute = id === null ? [] : EditorView.contentAttributes.of({ 'aria-activedescendant': id })
      view.dispatch({ effects: option.reconfigure(attribute) })
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function readValue(view: EditorView, chips: ChipStore): MessageValue {
  const { doc, selection } = view.state
  const segments = chips.toSegments(doc.toString())
  const isPlain = segments.every((segment) => segment.kind === 'text')
  return {
    segments,
    isEmpty: segments.every((segment) => segment.kind === 'text' && segment.text.trim() === ''),
    plainText: isPlain ? doc.sliceString(0, selection.main.head) : null,
    isCaretAtStart: selection.main.empty && selection.main.head === 0,
    isCaretAtEnd: selection.main.empty && selection.main.head === doc.length,
  }
}

function plainTextOf(segments: readonly MessageSegment[]): string {
  return segments.map((one) => (one.kind === 'file-ref' ? `@${one.path}` : one.text)).join('')
}

const messageTheme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'transparent', fontSize: '14px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--sans)',
    lineHeight: '1.7',
    maxHeight: '40vh',
    overflowY: 'auto',
  },
  '.cm-content': { padding: '0', caretColor: 'var(--ink)', lineBreak: 'strict', overflowWrap: 'anywhere' },
  '.cm-line': { padding: '0' },
  '.cm-line::selection, .cm-line ::selection': { backgroundColor: 'var(--sel)' },
  '.cm-placeholder': { color: 'var(--ink3)' },
})
