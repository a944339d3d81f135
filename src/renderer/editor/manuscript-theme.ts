import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/**
 * The page: a reading serif on a measured line, in the variables of `ui/tokens.css`.
 *
 * Size, leading and measure are `--manuscript-size`, `--manuscript-leading` and `--manuscript-measure` of the
 * editor's element. Nothing here has a vertical margin: CodeMirror measures lines without it.
 */
export function manuscriptTheme(): Extension {
  return EditorView.theme({
    '&': {
      height: '100%',
      color: 'var(--ink, #24211c)',
      backgroundColor: 'var(--paper, #faf8f4)',
      fontSize: 'var(--manuscript-size, 17px)',
    },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': {
      fontFamily: 'var(--manuscript-font, var(--serif, serif))',
      lineHeight: 'var(--manuscript-leading, 2.05)',
      overflowX: 'hidden',
      overflowY: 'auto',
    },
    '.cm-content': {
      boxSizing: 'content-box',
      width: 'min(var(--manuscript-measure, 40em), calc(100% - 32px))',
      flex: 'none',
      margin: '0 auto',
      padding: 'calc(56px + var(--search-room, 0px)) 16px 45vh',
      caretColor: 'var(--ink, #24211c)',
      lineBreak: 'strict',
      overflowWrap: 'anywhere',
      fontKerning: 'none',
      textSpacingTrim: 'space-all',
    },
    '.cm-line': { padding: '0' },
    '.cm-line::selection, .cm-line ::selection': { backgroundColor: 'var(--sel, #e7e1d7)' },
    '.cm-placeholder': { color: 'var(--ink3, #6a6358)' },
    '.cm-comment, .cm-command, .cm-outside': { color: 'var(--ink3, #6a6358)' },
    '.cm-command': { borderBottom: '1px dotted var(--ink3, #6a6358)' },
    '.cm-dice': { textDecoration: 'underline dotted var(--control, #8f8779)', textUnderlineOffset: '0.3em' },
    '.cm-focusMode .cm-line:not(.cm-focusedLine)': { color: 'var(--ink3, #6a6358)' },
    '.cm-content.cm-typewriter': { paddingTop: 'calc(40vh + var(--search-room, 0px))' },
    '.cm-searchMatch': { backgroundColor: 'var(--sel, #e7e1d7)' },
    '.cm-searchMatch-selected': {
      backgroundColor: 'var(--seam-bg, #f6ecd6)',
      outline: '1px solid var(--seam, #855b0e)',
    },
    ...pending,
    ...panel,
  })
}

const pending = {
  '.cm-pending': {
    color: 'color-mix(in oklab, var(--ink, #24211c) 62%, var(--seam, #855b0e))',
    whiteSpace: 'break-spaces',
    cursor: 'default',
  },
  '.cm-pending::highlight(uncertain-word)': {
    backgroundColor: 'color-mix(in oklab, var(--info, #35558a) 8%, transparent)',
    textDecoration: 'underline dotted var(--info, #35558a)',
  },
  // Behind the text, which keeps its place.
  '.cm-seamLayer': {
    position: 'absolute',
    top: '0',
    left: '0',
    zIndex: '-1',
    pointerEvents: 'none',
    contain: 'layout style',
  },
  // One pixel, which is moved and stretched.
  '.cm-seamLayer > div': { position: 'absolute', width: '1px', height: '1px', transformOrigin: '0 0' },
  '.cm-seamRule': { backgroundColor: 'var(--seam, #855b0e)' },
  '.cm-seamWash': { backgroundColor: 'color-mix(in oklab, var(--seam-bg, #f6ecd6) 55%, transparent)' },
  // As high as the lines, which inline boxes are not; the padding moves nothing.
  '.cm-accepted': {
    paddingBlock: 'calc((var(--manuscript-leading, 2.05) * 1em - 1.45em) / 2)',
    animation: 'cm-accepted 120ms ease-out',
  },
  '@keyframes cm-accepted': {
    from: {
      backgroundColor: 'color-mix(in oklab, var(--seam-bg, #f6ecd6) 55%, transparent)',
      color: 'color-mix(in oklab, var(--ink, #24211c) 62%, var(--seam, #855b0e))',
    },
  },
  '.cm-hasPending .cm-placeholder': { display: 'none' },
  '.cm-pendingCaret': { display: 'none' },
  '.cm-pendingWriting .cm-pendingCaret': {
    display: 'inline-block',
    width: '2px',
    height: '1.05em',
    marginRight: '-2px',
    backgroundColor: 'var(--seam, #855b0e)',
    verticalAlign: '-0.12em',
    animation: 'cm-pendingBlink 1.1s steps(1) infinite',
  },
  '@keyframes cm-pendingBlink': { '50%': { opacity: '0' } },
  // Where the author may type, his own caret blinks: each step would be another frame between two keys.
  '&.cm-focused .cm-pendingWriting .cm-pendingCaret': { animation: 'none' },
  '@media (prefers-reduced-motion: reduce)': {
    '.cm-pendingWriting .cm-pendingCaret': { animation: 'none' },
    '.cm-accepted': { animation: 'none' },
  },
  '.cm-pendingHints': {
    borderLeft: '2px solid var(--seam, #855b0e)',
    // The edge of what is offered stands this far before the text.
    marginLeft: '-14px',
    paddingLeft: '12px',
    // Where the offer goes on below, its keys stay in sight.
    position: 'sticky',
    bottom: '0',
    zIndex: '2',
    backgroundColor: 'var(--paper, #faf8f4)',
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '0 10px',
    minHeight: '32px',
    font: '12px/1.5 var(--sans, system-ui, sans-serif)',
    color: 'var(--ink2, #5f594f)',
    userSelect: 'none',
  },
  '.cm-pendingHint': {
    font: 'inherit',
    color: 'inherit',
    background: 'none',
    border: 'none',
    padding: '4px 0',
    cursor: 'pointer',
    whiteSpace: 'nowrap',
  },
  '.cm-pendingHint:hover': { color: 'var(--ink, #24211c)' },
  '.cm-pendingHint kbd': {
    font: '11px/1 var(--mono, monospace)',
    border: '1px solid var(--line, #e2dcd1)',
    borderRadius: '4px',
    padding: '2px 5px',
    backgroundColor: 'var(--raise, #fff)',
  },
  '.cm-pendingHint:disabled': { color: 'var(--ink3, #8b857a)', cursor: 'default' },
  // Where Tab leaves the text, it accepts nothing.
  '&[data-tab=leaves] .cm-pendingHint[data-keys=Tab]': { display: 'none' },
  '.cm-pendingLeave': { color: 'var(--ink3, #6a6358)', whiteSpace: 'nowrap' },
  '.cm-pendingTakes': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '6px',
    fontVariantNumeric: 'tabular-nums',
  },
  '.cm-pendingTakes .cm-pendingHint': { padding: '4px 5px' },
  '.cm-pendingNote:empty, .cm-pendingMore:empty': { display: 'none' },
  '.cm-pendingMore': { color: 'var(--ink, #24211c)', fontVariantNumeric: 'tabular-nums' },
  '.cm-pendingNote': { fontVariantNumeric: 'tabular-nums' },
  '.cm-pendingFailure': { color: 'var(--bad, #9c2f26)' },
}

const panel = {
  '.cm-panels': {
    backgroundColor: 'var(--panel, #f3f0ea)',
    color: 'var(--ink, #24211c)',
    borderBottom: '1px solid var(--line, #e2dcd1)',
    font: '13px/1.5 var(--sans, system-ui, sans-serif)',
  },
  // Over the page, so that the text stays where it is.
  '.cm-panels-top': {
    position: 'absolute',
    top: '0',
    left: '0',
    right: '0',
    zIndex: '5',
    borderBottom: '1px solid var(--line, #e2dcd1)',
    boxShadow: 'var(--shadow, none)',
  },
  '.cm-panel.cm-search': { padding: '8px 40px 8px 16px' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '5px',
    marginRight: '12px',
    fontSize: '12px',
    color: 'var(--ink2, #5f594f)',
    verticalAlign: 'middle',
  },
  '.cm-panel.cm-search label input': { margin: '0' },
  '.cm-panel .cm-search-count': {
    margin: '0 8px',
    fontSize: '12px',
    color: 'var(--ink2, #5f594f)',
    fontVariantNumeric: 'tabular-nums',
  },
  // Words are not parted by spaces here; the option would find nothing.
  '.cm-panel.cm-search label:has([name=word])': { display: 'none' },
  '.cm-panel.cm-search [name=close]': {
    color: 'var(--ink2, #5f594f)',
    padding: '4px 10px',
    fontSize: '16px',
  },
  '.cm-textfield': {
    backgroundColor: 'var(--raise, #fff)',
    border: '1px solid var(--control, #8f8779)',
    borderRadius: '6px',
    color: 'inherit',
    font: 'inherit',
    padding: '3px 8px',
  },
  '.cm-button': {
    background: 'var(--raise, #fff)',
    border: '1px solid var(--line, #e2dcd1)',
    borderRadius: '6px',
    color: 'inherit',
    font: 'inherit',
    fontSize: '12px',
    padding: '3px 10px',
  },
  '.cm-button:active': { background: 'var(--sel, #e7e1d7)' },
  '.cm-textfield:focus-visible, .cm-button:focus-visible, .cm-panel input:focus-visible': {
    outline: '2px solid var(--seam, #855b0e)',
    outlineOffset: '2px',
  },
}
