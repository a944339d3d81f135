import './zod-without-eval.ts'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type {
  EditorFigures,
  EditorLabels,
  ManuscriptEditor,
  PendingEvent,
  SyncState,
} from '../../../../src/renderer/editor/editor-types.ts'
import { createManuscriptEditor } from '../../../../src/renderer/editor/manuscript/manuscript-editor.ts'
import { EditorSettings } from '../../../../src/shared/domain/app/editor-settings.ts'
import { FakeAuthority, FakeLink } from '../../../fakes/rigs/fake-document-authority.ts'
import '../../../../src/renderer/ui/tokens.css'
import './harness.css'

const labels: EditorLabels = {
  document: '原稿',
  language: 'ja',
  vertical: '縦書き',
  placeholder: 'ここから書きはじめる',
  accept: '採用',
  acceptSentence: '一文',
  retry: '書き直す',
  stop: '止める',
  dismiss: '片づける',
  moreLines: (count: number) => `↓ あと ${count} 行`,
  leave: 'Esc、Tab で本文の外へ',
  pending: '続きの候補',
  search: { matches: (at, count) => `${at}/${count}`, tooSlow: 'too slow' },
  previousTake: '前の候補',
  nextTake: '次の候補',
  phrases: { Find: '検索', next: '次', previous: '前', '$ unchanged lines': '$ 行は同じ' },
}

const settings = EditorSettings.parse({})

/** What tests see of one editor. */
type Pane = {
  editor: ManuscriptEditor
  view: () => EditorView
  link: FakeLink
  authority: FakeAuthority
  events: PendingEvent[]
  sync: SyncState[]
  figures: EditorFigures[]
}

const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''
const panes = new Map<string, Pane>()
let authorities = new Map<string, FakeAuthority>()

/** Opens `text` under `key` in a pane; panes with the same key share the document, as two windows do. */
async function open(text: string, { pane = 'first', key = '001.txt' } = {}): Promise<void> {
  const authority = authorities.get(key) ?? new FakeAuthority(text)
  authorities.set(key, authority)
  const link = new FakeLink(authority, `window-${pane}`, key)
  link.sendsAtOnce = true
  const existing = panes.get(pane)
  const opened = existing ?? createPane(pane, link, authority)
  panes.set(pane, { ...opened, link, authority })
  opened.editor.showDocument(link)
  while (opened.editor.textOf(key) === null) await new Promise((resolve) => setTimeout(resolve, 5))
}

function createPane(name: string, link: FakeLink, authority: FakeAuthority): Pane {
  const parent = document.getElementById(name)
  if (!parent) throw new Error(`No pane ${name}`)
  const events: PendingEvent[] = []
  const sync: SyncState[] = []
  const figures: EditorFigures[] = []
  const editor = createManuscriptEditor({
    parent,
    cspNonce: nonce,
    labels,
    settings,
    events: {
      onPending: (event) => events.push(event),
      onSync: (_key, state) => sync.push(state),
      onFigures: (value) => figures.push(value),
    },
  })
  return { editor, view: () => viewIn(parent), link, authority, events, sync, figures }
}

function viewIn(parent: HTMLElement): EditorView {
  const content = parent.querySelector<HTMLElement>('.cm-content')
  const view = content && EditorView.findFromDOM(content)
  if (!view) throw new Error('No editor here')
  return view
}

function pane(name = 'first'): Pane {
  const found = panes.get(name)
  if (!found) throw new Error(`No pane ${name}`)
  return found
}

/** Opens CodeMirror alone, as the baseline for the costs of the manuscript editor. */
function openPlain(text: string): void {
  const parent = document.getElementById('first')
  if (!parent) throw new Error('No pane')
  const extensions = [EditorView.lineWrapping, EditorView.cspNonce.of(nonce), plainTheme]
  new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) })
}

const plainTheme = EditorView.theme({
  '&': { height: '100%', fontSize: '17px' },
  '.cm-scroller': { fontFamily: 'var(--serif)', lineHeight: '2.05' },
  '.cm-content': { maxWidth: '40em', margin: '0 auto' },
})

function plainView(): EditorView {
  const parent = document.getElementById('first')
  if (!parent) throw new Error('No pane')
  return viewIn(parent)
}

function reset(): void {
  for (const { editor } of panes.values()) editor.destroy()
  panes.clear()
  authorities = new Map()
}

let streaming: ReturnType<typeof setInterval> | undefined
let streams = 0

/** Offers a text that grows by a few characters thirty times a second, at the caret. */
function startStream(): void {
  streams += 1
  const id = `stream ${streams}`
  const { editor, view } = pane()
  const position = view().state.selection.main.head
  let text = ''
  streaming = setInterval(() => {
    text += '雨が窓を叩く。'
    editor.showPending('001.txt', { id, position, lead: '', text, phase: 'writing' })
  }, 33)
}

function stopStream(): void {
  clearInterval(streaming)
  pane().editor.showPending('001.txt', null)
}

const harness = {
  open,
  openPlain,
  plainView,
  pane,
  reset,
  startStream,
  stopStream,
  labels,
  settings,
}
export type EditorHarness = typeof harness

declare global {
  interface Window {
    editorHarness: EditorHarness
  }
}
window.editorHarness = harness
