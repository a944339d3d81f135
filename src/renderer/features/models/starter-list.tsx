import { useEffect, useState } from 'react'
import type { StarterModel } from '../../../shared/domain/starter-status.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { sizeText } from '../../../shared/i18n/translate.ts'
import { infoOf } from '../../state/follow.ts'
import { isStarterBusy } from '../../state/slices/starter-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Small models that can be fetched; nothing goes online before its button is pressed. */
export function StarterList() {
  const { t, errorText } = useWords()
  const status = useApp((state) => state.starter.status)
  if (status === null || status.models.length === 0) return null
  return (
    <section aria-labelledby="models-starter">
      <h3 id="models-starter" className="label">
        {t('starter.title')}
      </h3>
      <p className="small dim">{t('starter.hint')}</p>
      {status.error && <Notice tone="bad">{errorText(status.error)}</Notice>}
      <ul className="model-list">
        {status.models.map((model) => (
          <StarterRow key={model.starterId} model={model} />
        ))}
      </ul>
    </section>
  )
}

function StarterRow({ model }: { model: StarterModel }) {
  const { t, language } = useWords()
  const { status, request, cancel } = useApp((state) => state.starter)
  const isThis = status?.starterId === model.starterId
  const isBusy = isThis && isStarterBusy(status)
  const languages = model.languages.map((one) => t(`language.${one}`)).join(', ')
  return (
    <li className="card model-row">
      <div className="grow">
        <p className="clip">{model.name}</p>
        <p className="small dim">
          {sizeText(language, model.sizeBytes)} · {languages} · {model.licence}
        </p>
        {isBusy && status && (
          <p className="row small" role="status">
            <Meter
              label={t('starter.fetching')}
              value={status.totalBytes > 0 ? status.receivedBytes / status.totalBytes : null}
            />
            {t(`starter.${status.state}` as 'starter.fetching')}
          </p>
        )}
      </div>
      {isBusy ? (
        <Button look="quiet" onClick={() => void cancel()}>
          {t('action.cancel')}
        </Button>
      ) : isThis && status?.state === 'ready' ? (
        <span className="dim">{t('starter.ready')}</span>
      ) : (
        <Button disabled={isStarterBusy(status)} onClick={() => request(model.starterId)}>
          {t('starter.fetch')}
        </Button>
      )}
    </li>
  )
}

/** Terms that must be read and accepted before a model is fetched. */
export function TermsDialog({ starterId }: { starterId: string }) {
  const { t, language, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const { status, fetch, terms } = useApp((state) => state.starter)
  const model = status?.models.find((one) => one.starterId === starterId)
  const termsId = model?.termsId ?? null
  const [text, setText] = useState<string | null>(null)
  const [error, setError] = useState<ErrorInfo | null>(null)
  const [isAccepted, setIsAccepted] = useState(false)

  useEffect(() => {
    if (termsId === null) return
    terms(termsId, language).then(setText, (failure) => setError(infoOf(failure)))
  }, [terms, termsId, language])

  if (!model) return null
  return (
    <Dialog
      title={t('terms.title', { name: model.name })}
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
              void fetch(starterId, true)
            }}
          >
            {t('starter.fetch')}
          </Button>
        </>
      }
    >
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must scroll by keys */}
      <section className="terms" tabIndex={0} aria-label={t('terms.title', { name: model.name })}>
        {text}
      </section>
    </Dialog>
  )
}
