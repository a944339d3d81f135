import { useEffect, useState } from 'react'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { infoOf } from '../../state/slices/follow.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

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
      closeLabel={t('action.close')}
      onClose={close}
      footer={
        <>
          <label className="row grow">
            <input
              type="checkbox"
              className="check"
              checked={isAccepted}
              disabled={text === null}
              onChange={(event) => setIsAccepted(event.target.checked)}
            />
            {t('terms.accept')}
          </label>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            look="primary"
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
      <section className="terms" tabIndex={0} aria-label={t('terms.title', { name: name })}>
        {text}
      </section>
    </Dialog>
  )
}
