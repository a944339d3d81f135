import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, showPanel } from '@codemirror/view'
import { manuscriptTheme } from '../manuscript-theme.ts'

type ComparedText = { text: string; label: string }

export type CompareViewOptions = {
  parent: HTMLElement
  cspNonce?: string
  before: ComparedText
  after: ComparedText
  /** `unified`: one column, what went above what came. `side-by-side`: two columns that scroll together. */
  layout: 'unified' | 'side-by-side'
  /** CodeMirror's English phrases and what stands for them ("$ unchanged lines"). */
  phrases: Record<string, string>
}

export type CompareView = { destroy(): void }

const COLLAPSED = { margin: 2, minSize: 6 }
const DIFF_LIMITS = { scanLimit: 1_000, timeout: 500 }
/** Shows two texts and what differs, for the history and for conflicts with the disk. Nothing can be edited. */
export function createCompareView(options: CompareViewOptions): CompareView {
  return options.layout === 'unified' ? createUnified(options) : createSideBySide(options)
}

function createUnified({ parent, before, after, ...options }: CompareViewOptions): CompareView {
  return new EditorView({
    parent,
    doc: after.text,
    extensions: [
      readOnly(options, `${before.label} → ${after.label}`),
      unifiedMergeView({
        original: before.text,
        mergeControls: false,
        gutter: false,
        collapseUnchanged: COLLAPSED,
        diffConfig: DIFF_LIMITS,
      }),
    ],
  })
}

function createSideBySide({ parent, before, after, ...options }: CompareViewOptions): CompareView {
  const side = ({ text, label }: ComparedText) => ({ doc: text, extensions: readOnly(options, label) })
  const view = new MergeView({
    parent,
    a: side(before),
    b: side(after),
    gutter: false,
    collapseUnchanged: COLLAPSED,
    diffConfig: DIFF_LIMITS,
  })
  view.dom.classList.add('cm-compareSides')
  return view
}

function readOnly(options: Pick<CompareViewOptions, 'cspNonce' | 'phrases'>, label: string): Extension {
  return [
    compareTheme,
    manuscriptTheme(),
    showPanel.of(() => ({ top: true, dom: labelElement(label) })),
    EditorView.lineWrapping,
    EditorView.cspNonce.of(options.cspNonce ?? ''),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorState.phrases.of(options.phrases),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', 'aria-readonly': 'true' }),
  ]
}

function labelElement(label: string): HTMLElement {
  const element = document.createElement('div')
  element.className = 'cm-compareLabel'
  element.textContent = label
  return element
}

const compareTheme = EditorView.theme({
  '&': { fontSize: '15px' },
  '.cm-scroller': { lineHeight: '1.9' },
  '.cm-content': { padding: '12px 16px', width: 'calc(100% - 32px)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--bad-bg, #f8e5e2)' },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--ok-bg, #e4f0e6)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    textDecoration: 'underline 2px var(--bad, #9c2f26)',
    textUnderlineOffset: '0.25em',
  },
  '&.cm-merge-b .cm-changedText': {
    background: 'none',
    textDecoration: 'underline 2px var(--ok, #2a6140)',
    textUnderlineOffset: '0.25em',
  },
  '.cm-deletedChunk': { padding: '0', color: 'var(--ink2, #5f594f)' },
  '.cm-compareLabel': { padding: '6px 16px', fontSize: '12px', color: 'var(--ink2, #5f594f)' },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"⋯"' },
  '.cm-collapsedLines': {
    background: 'var(--panel, #f3f0ea)',
    color: 'var(--ink2, #5f594f)',
    font: '12px/2 var(--sans, system-ui, sans-serif)',
    padding: '2px 8px',
  },
})
