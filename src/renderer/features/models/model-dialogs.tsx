import './models.css'
import { Check } from '../../ui/fields/choice-field.tsx'
import './catalogue.css'
import { useEffect, useState } from 'react'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { pastedPath } from '../../../shared/text/paths/pasted-path.ts'
import { infoOf } from '../../state/slices/follow.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'
import { AddServer } from './add-server.tsx'

/** A server by its address, from anywhere in the window. */
export function AddServerDialog() {
  const { t, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const error = useApp((state) => state.models.error)
  return (
    <Dialog title={t('models.addServer')} description={t('models.addServer.hint')}>
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      <AddServer onDone={close} />
    </Dialog>
  )
}

/** Adds a model file by its path. `droppedName`: a file was dropped whose path the browser does not tell. */
export function ModelPathDialog({ droppedName }: { droppedName: string | null }) {
  const { t, errorText } = useWords()
  const { open, close } = useApp((state) => state.ui)
  const { openFile, error } = useApp((state) => state.models)
  const [typed, setTyped] = useState('')
  const [isBad, setIsBad] = useState(false)
  const submit = async () => {
    const path = pastedPath(typed)
    setIsBad(path === null || path === '')
    if (path && (await openFile(path))) close()
  }
  return (
    <Dialog
      title={t('models.path.title')}
      {...(droppedName === null ? {} : { description: t('models.path.dropped', { name: droppedName }) })}
    >
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      <Form className="profile-form" onSubmit={() => void submit()}>
        <TextField
          label={t('models.path')}
          hint={t('models.path.hint')}
          error={isBad ? t('models.path.bad') : null}
          autoFocus
          spellCheck={false}
          value={typed}
          onChange={setTyped}
        />
        <div className="row">
          <Button icon="file" onClick={() => open({ kind: 'picker', purpose: 'open-gguf' })}>
            {t('models.path.choose')}
          </Button>
          <span className="grow" />
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button variant="primary" type="submit">
            {t('models.use')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

export function StarterTerms({ starterId }: { starterId: string }) {
  const { status, fetch } = useApp((state) => state.starter)
  const model = status?.models.find((one) => one.starterId === starterId)
  if (!model?.termsId) return null
  return (
    <TermsDialog name={model.name} termsId={model.termsId} onAccept={() => void fetch(starterId, true)} />
  )
}

export function CatalogueTerms({ modelId }: { modelId: string }) {
  const { status, start } = useApp((state) => state.catalogue)
  const model = status?.models.find((one) => one.modelId === modelId)
  if (!model?.termsId) return null
  return <TermsDialog name={model.name} termsId={model.termsId} onAccept={() => void start(modelId, true)} />
}

type TermsDialogProps = { name: string; termsId: string; onAccept: () => void }

/** Terms that must be read and accepted before a model is downloaded. */
function TermsDialog({ name, termsId, onAccept }: TermsDialogProps) {
  const { t, language, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const terms = useApp((state) => state.starter.terms)
  const [text, setText] = useState<string | null>(null)
  const [error, setError] = useState<ErrorInfo | null>(null)
  const [isAccepted, setIsAccepted] = useState(false)

  useEffect(() => {
    terms(termsId, language).then(setText, (failure) => setError(infoOf(failure)))
  }, [terms, termsId, language])

  return (
    <Dialog
      title={t('terms.title', { name: name })}
      description={t('terms.hint')}
      footer={
        <>
          <Check className="row grow" checked={isAccepted} disabled={text === null} onChange={setIsAccepted}>
            {t('terms.accept')}
          </Check>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            variant="primary"
            disabled={!isAccepted}
            onClick={() => {
              close()
              onAccept()
            }}
          >
            {t('starter.fetch')}
          </Button>
        </>
      }
    >
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must scroll by keys */}
      <section className="pre terms" tabIndex={0} aria-label={t('terms.title', { name: name })}>
        {text}
      </section>
    </Dialog>
  )
}
