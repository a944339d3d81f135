import './welcome.css'
import type { ReactNode } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** The page while no work is open: a work to write in, and a model to write with. */
export function Welcome({ modelSetup }: { modelSetup: ReactNode }) {
  const { t, language, errorText } = useWords()
  const { isOpening, error, openSample } = useApp((state) => state.work)
  const open = useApp((state) => state.ui.open)
  return (
    <main className="welcome">
      <div className="welcome-inner">
        <section className="welcome-works" aria-labelledby="welcome-works">
          <p className="welcome-name serif">{t('app.name')}</p>
          <p className="dim">{t('welcome.lead')}</p>
          <h2 id="welcome-works" className="label">
            {t('welcome.works')}
          </h2>
          {error && <Notice tone="bad">{errorText(error)}</Notice>}
          <div className="welcome-actions">
            <Button
              look="primary"
              icon="folder"
              disabled={isOpening}
              onClick={() => open({ kind: 'picker', purpose: 'open-work' })}
            >
              {t('welcome.openFolder')}
            </Button>
            <Button
              icon="add"
              disabled={isOpening}
              onClick={() => open({ kind: 'picker', purpose: 'create-work' })}
            >
              {t('welcome.create')}
            </Button>
            <Button icon="file" disabled={isOpening} onClick={() => void openSample(language)}>
              {t('welcome.sample')}
            </Button>
          </div>
          <p className="small dim">{t('welcome.openHint')}</p>
          <Recent />
        </section>
        <section className="welcome-model" aria-labelledby="welcome-model">
          <h2 id="welcome-model" className="welcome-title">
            {t('welcome.model')}
          </h2>
          <ModelState />
          {modelSetup}
        </section>
      </div>
    </main>
  )
}

function Recent() {
  const { t } = useWords()
  const { recent, open, forget } = useApp((state) => state.work)
  if (recent.length === 0) return null
  return (
    <section aria-labelledby="welcome-recent">
      <h2 id="welcome-recent" className="label">
        {t('files.recent')}
      </h2>
      <ul>
        {recent.slice(0, 8).map((work) => (
          <li key={work.root} className="recent-row">
            <button type="button" className="recent-open" onClick={() => void open(work.root)}>
              <span className="clip">{work.name}</span>
              <span className="small dim clip">{work.root}</span>
            </button>
            <IconButton
              icon="close"
              label={t('welcome.forget', { name: work.name })}
              onClick={() => void forget(work.root)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ModelState() {
  const { t, errorText } = useWords()
  const { status, isStatusKnown } = useApp((state) => state.models)
  if (!isStatusKnown) return null
  if (status.state === 'none') return <p className="dim">{t('welcome.modelNone')}</p>
  const name = status.isDemo ? t('model.demo') : (status.modelName ?? status.profileName ?? '')
  return (
    <>
      <p role="status">{t('welcome.modelIs', { name, state: t(`model.state.${status.state}`) })}</p>
      {status.error && <p className="field-note field-error">{errorText(status.error)}</p>}
    </>
  )
}
