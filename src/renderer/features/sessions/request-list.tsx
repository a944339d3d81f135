import { useState } from 'react'
import type { ModelRequest } from '../../../shared/domain/model/model-request.ts'
import { durationText } from '../../../shared/i18n/figure-text.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import { useWords } from '../../state/store-context.tsx'

/** What the session asked of its models, newest first; what it asked in the background only where it is wanted. */
export function RequestList({ requests }: { requests: readonly ModelRequest[] }) {
  const { t } = useWords()
  const [hasBackground, setHasBackground] = useState(false)
  const shown = requests.filter(({ isBackground }) => hasBackground || !isBackground)
  return (
    <section className="request-log" aria-label={t('requests.title')}>
      <div className="row">
        <h3 className="label grow">{t('requests.title')}</h3>
        <label className="row small">
          <input
            type="checkbox"
            className="check"
            checked={hasBackground}
            onChange={(event) => setHasBackground(event.target.checked)}
          />
          {t('requests.background')}
        </label>
      </div>
      {shown.length === 0 ? (
        <p className="dim">{t(requests.length === 0 ? 'requests.none' : 'requests.noneShown')}</p>
      ) : (
        <p className="small dim">{t('requests.hint')}</p>
      )}
      <ol aria-label={t('requests.title')}>
        {shown.map((request) => (
          <Request key={request.requestId} request={request} />
        ))}
      </ol>
    </section>
  )
}

function Request({ request }: { request: ModelRequest }) {
  const { t, language } = useWords()
  const { purpose, at, end, ms, modelName, isBackground } = request
  const ended = end === 'finished' ? '' : t(`requests.end.${end}`)
  const facts = [ended, modelName, tokensText(t, request), durationText(t, ms)].filter((fact) => fact !== '')
  return (
    <li className="request">
      <p className="request-head">
        <span className={isBackground ? 'dim' : undefined}>{t(`requests.purpose.${purpose}`)}</span>
        <time dateTime={new Date(at).toISOString()}>
          {new Date(at).toLocaleTimeString(language, { timeStyle: 'medium' })}
        </time>
      </p>
      <ul className="request-facts">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </li>
  )
}

function tokensText(t: Translate, { promptTokens, reusedTokens, completionTokens }: ModelRequest): string {
  const values = { prompt: promptTokens, written: completionTokens }
  return reusedTokens === null
    ? t('requests.tokensUnknown', values)
    : t('requests.tokens', { ...values, reused: reusedTokens })
}
