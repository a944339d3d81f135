import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands'
import { Compartment, EditorState, Prec, StateEffect } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { type MessageSegment, segmentsText } from '../../../shared/domain/session/message-segment.ts'
import { caretAtFocus } from '../caret-in-sight.ts'
import { ChipStore, type ChipWords, messageChips, withoutMarkers } from './message-chips.ts'
import { copySegments, imagesIn, messageDrag, pastedSegments } from './message-drag.ts'
import { type BoxGhost, ghostOf, ghostOrPlaceholder, showGhost, takeIntoText } from './message-ghost.ts'
import { type ReferenceQuery, referenceQuery } from './reference-query.ts'

/** The content of the message box, and the caret in it. */
export type MessageValue = {
  segments: MessageSegment[]
  isEmpty: boolean
  /** The offered text that is visible at the end of the box's text. */
  ghost: BoxGhost | null
  /** The text up to the caret where the message is plain text, null where it has other pieces. */
  plainText: string | null
  isCaretAtStart: boolean
  isCaretAtEnd: boolean
  /** The reference that is being typed at the caret; none while an input method composes. */
  reference: ReferenceQuery | null
}

/** `hintId`: the element that says how a ghost is accepted. */
export type MessageLabels = { box: string; placeholder: string; hintId: string; chips: ChipWords }

export type MessageEvents = {
  onChange(value: MessageValue): void
  /** True where the key is used up. Keys that belong to an input method never come here. */
  onKey(event: KeyboardEvent, value: MessageValue): boolean
  onCompose(): void
  /** Images were pasted or dropped; the caret stands where they belong. */
  onImages(files: readonly File[]): void
}

export type MessageEditor = ReturnType<typeof createMessageEditor>

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
}) {
  const chips = new ChipStore()
  const relabel = StateEffect.define<null>()
  const labelled = new Compartment()
  const option = new Compartment()
  let { labels } = options
  let ghost: string | null = null

  const attributes = () => [
    ghostOrPlaceholder(labels),
    EditorView.contentAttributes.of({
      'aria-label': labels.box,
      'aria-multiline': 'true',
      'aria-autocomplete': 'list',
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
            copy: (event, view) => copySelection(event, view, chips),
            cut(event, view) {
              if (!copySelection(event, view, chips)) return false
              view.dispatch(view.state.replaceSelection(''), { userEvent: 'delete.cut' })
              return true
            },
            compositionstart: () => options.events.onCompose(),
            // Composed text counts as a reference only now, and the text need not change any more.
            compositionend: () =>
              void setTimeout(() => {
                showGhost(view, ghost)
                options.events.onChange(readValue(view, chips))
              }),
            paste(event) {
              const pieces = event.clipboardData && pastedSegments(event.clipboardData)
              if (pieces) {
                event.preventDefault()
                view.dispatch(view.state.replaceSelection(chips.toText(pieces)), { userEvent: 'input.paste' })
                return true
              }
              const text = event.clipboardData?.getData('text/plain') ?? ''
              const images = text === '' ? imagesIn(event.clipboardData) : []
              if (images.length > 0) {
                event.preventDefault()
                options.events.onImages(images)
                return true
              }
              if (!isLongPaste(text)) return false
              event.preventDefault()
              const chip = chips.add({ kind: 'paste', text: text.replace(/\r\n?/g, '\n') })
              view.dispatch(view.state.replaceSelection(chip), { userEvent: 'input.paste' })
              return true
            },
          }),
        ),
        EditorView.clipboardInputFilter.of((text) => withoutMarkers(text)),
        EditorView.clipboardOutputFilter.of((text) => segmentsText(chips.toSegments(text))),
        history(),
        caretAtFocus,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        messageChips(chips, () => labels.chips, relabel),
        messageDrag(chips, (images) => options.events.onImages(images)),
        labelled.of(attributes()),
        option.of([]),
        EditorView.updateListener.of((update) => {
          const hasGhostChanged = ghostOf(update.startState)?.text !== ghostOf(update.state)?.text
          if (update.docChanged || update.selectionSet || hasGhostChanged)
            options.events.onChange(readValue(view, chips))
        }),
        messageTheme,
      ],
    }),
  })

  return {
    value: () => readValue(view, chips),
    /** True where the box is empty, also of spaces. */
    isBlank: () => view.state.doc.length === 0,
    /** True while an input method composes: a change of the text would break off the composition. */
    isComposing: () => view.compositionStarted,
    setSegments(segments: readonly MessageSegment[]) {
      const insert = chips.toText(segments)
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert },
        selection: { anchor: insert.length },
        scrollIntoView: true,
      })
    },
    /** Replaces a range by a piece, as one step of undo; the caret is behind it. */
    replace({ from, to }: { from: number; to: number }, piece: MessageSegment) {
      const insert = chips.toText([piece])
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from + insert.length },
        annotations: isolateHistory.of('full'),
        userEvent: 'input.complete',
        scrollIntoView: true,
      })
    },
    /** Puts a piece in place of what is selected; the caret is behind it. */
    insert(piece: MessageSegment) {
      view.dispatch(view.state.replaceSelection(chips.toText([piece])), {
        userEvent: 'input.paste',
        scrollIntoView: true,
      })
    },
    /** Offers a text in the box while it is empty; null: none. */
    showGhost(text: string | null) {
      ghost = text
      // A change of the page would break off a composition.
      if (!view.compositionStarted) showGhost(view, text)
    },
    /** Writes `part` at the end as one step of undo; `rest` is offered behind it. */
    take: (part: string, rest: string) => takeIntoText(view, part, rest),
    setLabels(next: MessageLabels) {
      labels = next
      view.dispatch({ effects: [labelled.reconfigure(attributes()), relabel.of(null)] })
    },
    /** Tells screen readers which option of the list over the box is chosen; null: there is no list. */
    setChosenOption(chosen: { list: string; option: string } | null) {
      const attributes = chosen && {
        'aria-haspopup': 'listbox',
        'aria-controls': chosen.list,
        'aria-activedescendant': chosen.option,
      }
      view.dispatch({
        effects: option.reconfigure(attributes ? EditorView.contentAttributes.of(attributes) : []),
      })
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function readValue(view: EditorView, chips: ChipStore): MessageValue {
  const { doc, selection } = view.state
  const text = doc.toString()
  const segments = chips.toSegments(text)
  const { empty, head } = selection.main
  const isPlain = segments.every((segment) => segment.kind === 'text')
  return {
    segments,
    isEmpty: segments.every((segment) => segment.kind === 'text' && segment.text.trim() === ''),
    ghost: view.compositionStarted ? null : ghostOf(view.state),
    plainText: isPlain ? text.slice(0, head) : null,
    isCaretAtStart: empty && head === 0,
    isCaretAtEnd: empty && head === doc.length,
    reference: empty && !view.composing ? referenceQuery(text, head) : null,
  }
}

/** Copies a selection with chips in it; any other is copied as usual. */
function copySelection(event: ClipboardEvent, view: EditorView, chips: ChipStore): boolean {
  const { from, to } = view.state.selection.main
  const segments = chips.toSegments(view.state.sliceDoc(from, to))
  if (event.clipboardData === null || segments.every((one) => one.kind === 'text')) return false
  event.preventDefault()
  copySegments(event.clipboardData, segments)
  return true
}

const messageTheme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'transparent', fontSize: '14px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--sans)', lineHeight: '1.7', maxHeight: '40vh', overflowY: 'auto' },
  '.cm-content': { padding: '0', caretColor: 'var(--ink)', lineBreak: 'strict', overflowWrap: 'anywhere' },
  '.cm-line': { padding: '0' },
  '.cm-line::selection, .cm-line ::selection': { backgroundColor: 'var(--sel)' },
  '.cm-placeholder, .cm-ghost': { color: 'var(--ink3)', pointerEvents: 'none', userSelect: 'none' },
})
