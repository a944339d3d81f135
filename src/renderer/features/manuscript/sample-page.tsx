import { useCallback, useEffect, useRef, useState } from 'react'
import type { DocumentChange, DocumentEvent } from '../../../shared/domain/work/document.ts'
import type { DocumentLink, ManuscriptEditor, PendingPhase } from '../../editor/editor-types.ts'
import { createManuscriptEditor } from '../../editor/manuscript/manuscript-editor.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { editorLabels } from './editor-labels.ts'

/** `waiting`: an offer is there, or on its way. */
type Stage = 'waiting' | 'accepted' | 'dismissed'

/**
 * The sample's last page in the editor, with the demo's continuation. Text that is written here is not saved.
 *
 * While nothing else has the focus, Tab accepts here as it does in a text.
 */
export function SamplePage({ cspNonce }: { cspNonce: string | undefined }) {
  const { client } = useAppStore()
  const words = useWords()
  const { t, language } = words
  const settings = useApp((state) => state.settings.value.editor)
  const { isOpening, openSample } = useApp((state) => state.work)
  const parent = useRef<HTMLDivElement>(null)
  const editor = useRef<ManuscriptEditor>(null)
  const first = useRef({ settings, labels: editorLabels(t, language, undefined) })
  const [title, setTitle] = useState('')
  const [stage, setStage] = useState<Stage>('waiting')
  const [seed, setSeed] = useState(0)

  useEffect(() => {
    if (parent.current === null) return
    const made = createManuscriptEditor({
      parent: parent.current,
      ...(cspNonce ? { cspNonce } : {}),
      ...first.current,
      events: {
        onPending({ kind }) {
          if (kind === 'accepted') setStage('accepted')
          if (kind === 'dismissed') setStage('dismissed')
          if (kind === 'retry') setSeed((now) => now + 1)
        },
      },
    })
    editor.current = made
    return () => {
      editor.current = null
      made.destroy()
    }
  }, [cspNonce])
  useEffect(() => editor.current?.setSettings(settings), [settings])
  useEffect(() => editor.current?.setLabels(editorLabels(words.t, words.language, undefined)), [words])

  useEffect(() => {
    const stop = new AbortController()
    const key = `sample ${language}`
    setStage('waiting')
    const follow = async () => {
      const lead = language === 'ja' ? '\n' : '\n\n'
      let position = 0
      let text = ''
      const show = (phase: PendingPhase) =>
        editor.current?.showPending(key, { id: `${seed}`, position, lead, text, phase })
      for await (const event of client['work.samplePage']({ language, seed }, { signal: stop.signal })) {
        if (event.type === 'text') {
          text += event.text
          show('writing')
        } else {
          setTitle(event.title)
          editor.current?.showDocument(unkeptText(key, event.text))
          position = event.text.length
          show('waiting')
        }
      }
      text = text.trimEnd()
      show('finished')
    }
    // Without a connection the page stays as it is; the window says so elsewhere.
    follow().catch(() => undefined)
    return () => stop.abort()
  }, [client, language, seed])

  const accept = useCallback(() => editor.current?.acceptPending() ?? false, [])
  useEffect(() => {
    if (stage !== 'waiting') return
    const press = (event: KeyboardEvent) => {
      const isPlain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey
      const isFree = document.activeElement === document.body
      if (event.key === 'Tab' && isPlain && isFree && accept()) event.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [stage, accept])

  return (
    <section className="sample-page" aria-label={t('welcome.page')}>
      <h2 className="sample-page-title serif clip">{title}</h2>
      <div ref={parent} className="sample-page-editor" />
      <div className="row wrap sample-page-foot">
        <p className="grow" role="status">
          {stage === 'waiting' ? (
            <>
              {t('welcome.press')} <Kbd keys={['Tab']} /> {t('welcome.press.after')}
            </>
          ) : (
            t(stage === 'accepted' ? 'welcome.accepted' : 'welcome.dismissed')
          )}
        </p>
        <Button icon="file" disabled={isOpening} onClick={() => void openSample(language)}>
          {t('welcome.sample')}
        </Button>
      </div>
    </section>
  )
}

/** Links the editor to a text that only this page holds. */
function unkeptText(key: string, text: string): DocumentLink {
  const changed: DocumentChange[] = []
  let wake: () => void = () => undefined
  return {
    key,
    clientId: key,
    async *watch({ afterVersion, signal }): AsyncGenerator<DocumentEvent, void, void> {
      let told = afterVersion ?? 0
      if (afterVersion === undefined) yield { kind: 'snapshot', snapshot: snapshotOf(key, text) }
      signal.addEventListener('abort', () => wake())
      while (!signal.aborted) {
        const changes = changed.slice(told)
        told = changed.length
        if (changes.length > 0) {
          yield { kind: 'changed', version: told, changes }
          yield { kind: 'saved', version: told, at: 0 }
        } else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    async send({ baseVersion, changes, origin }) {
      const own = changes.map((change) => ({
        changes: change,
        clientId: key,
        ...(origin === undefined ? {} : { origin }),
      }))
      changed.splice(baseVersion, changed.length, ...own)
      wake()
      return { kind: 'accepted', version: changed.length }
    },
  }
}

function snapshotOf(documentId: string, text: string) {
  const format = { encoding: 'utf-8', lineEnd: 'lf', hasBom: false, isReadOnly: false } as const
  return { documentId, path: documentId, version: 0, savedVersion: 0, text, ...format }
}
