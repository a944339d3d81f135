import type { StarterModel } from '../../../shared/domain/model/starter-status.ts'
import { listText, sizeText } from '../../../shared/i18n/translate.ts'
import { isStarterBusy } from '../../state/slices/starter-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
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
  const named = (action: string) => t('action.of', { action, name: model.name })
  const languages = listText(
    language,
    model.languages.map((one) => t(`language.${one}`)),
  )
  return (
    <li className="card model-row" aria-label={model.name}>
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
        <Button look="quiet" aria-label={named(t('action.cancel'))} onClick={() => void cancel()}>
          {t('action.cancel')}
        </Button>
      ) : isThis && status?.state === 'ready' ? (
        <span className="dim">{t('starter.ready')}</span>
      ) : (
        <Button
          aria-label={named(t('starter.fetch'))}
          disabled={isStarterBusy(status)}
          onClick={() => request(model.starterId)}
        >
          {t('starter.fetch')}
        </Button>
      )}
    </li>
  )
}
