import './welcome.css'
import { type ReactNode, useState } from 'react'
import type { PickPurpose } from '../../../shared/domain/app/host-info.ts'
import { isStarterBusy } from '../../state/slices/catalogue-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, IconButton, PlainButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'

type WelcomeProps = {
  /** The sample's last page, with its next sentence waiting. */
  samplePage: ReactNode
  modelSetup: ReactNode
}

/** The page while no work is open: the two kinds of work, a page to try, recent works, and the model in one line. */
export function Welcome({ samplePage, modelSetup }: WelcomeProps) {
  const { t, errorText } = useWords()
  const { isOpening, error } = useApp((state) => state.work)
  const open = useApp((state) => state.ui.open)
  const picking = (purpose: PickPurpose) => ({
    disabled: isOpening,
    onClick: () => open({ kind: 'picker', purpose }),
  })
  return (
    <main className="welcome">
      <div className="welcome-inner">
        <header className="welcome-head">
          <p className="welcome-name serif">{t('app.name')}</p>
          <p className="welcome-lead">{t('welcome.lead')}</p>
        </header>
        <div className="welcome-left">
          {error && <Notice tone="bad">{errorText(error)}</Notice>}
          <Door name="story">
            <Button variant="primary" icon="add" {...picking('create-work')}>
              {t('welcome.create')}
            </Button>
            <Button icon="folder" {...picking('open-work')}>
              {t('welcome.openFolder')}
            </Button>
          </Door>
          <Door name="code">
            <Button icon="folder" {...picking('open-project')}>
              {t('welcome.openProject')}
            </Button>
          </Door>
          <Recent />
        </div>
        <div className="welcome-right">{samplePage}</div>
        <ModelLine modelSetup={modelSetup} />
      </div>
    </main>
  )
}

/** One kind of work: its name, one sentence, and the ways to begin. */
function Door({ name, children }: { name: 'story' | 'code'; children: ReactNode }) {
  const { t } = useWords()
  const id = `welcome-${name}`
  return (
    <section className="welcome-door" aria-labelledby={id}>
      <h2 id={id} className="welcome-title serif">
        {t(`welcome.${name}`)}
      </h2>
      <p className="dim">{t(`welcome.${name}.hint`)}</p>
      <div className="row wrap welcome-actions">{children}</div>
    </section>
  )
}

function Recent() {
  const { t } = useWords()
  const { recent, open, forget, isShownAsProject } = useApp((state) => state.work)
  if (recent.length === 0) return null
  return (
    <section className="welcome-recent" aria-labelledby="welcome-recent">
      <h2 id="welcome-recent" className="label">
        {t('welcome.recent')}
      </h2>
      <ul>
        {recent.slice(0, 6).map((work) => (
          <li key={work.root} className="recent-row">
            <PlainButton className="grow recent-open" onClick={() => void open(work.root)}>
              <span className="row">
                <span className="clip">{work.name}</span>
                <span className="small dim">
                  {t(isShownAsProject(work.root) ? 'welcome.isProject' : 'welcome.isWork')}
                </span>
              </span>
              <span className="small dim clip">{work.root}</span>
            </PlainButton>
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

/** The model in one line; the ways to one are behind it. */
function ModelLine({ modelSetup }: { modelSetup: ReactNode }) {
  const { t, errorText } = useWords()
  const { status, isStatusKnown } = useApp((state) => state.models)
  const starter = useApp((state) => state.starter.status)
  const open = useApp((state) => state.ui.open)
  const [isOpen, setIsOpen] = useState(false)
  const name = status.isDemo ? t('model.demo') : (status.modelName ?? status.profileName ?? '')
  const fetched = starter && isStarterBusy(starter) ? starter : null
  const percent = fetched && fetched.totalBytes > 0 ? fetched.receivedBytes / fetched.totalBytes : 0
  const line = fetched
    ? t('welcome.modelFetching', { percent: Math.floor(percent * 100) })
    : status.state === 'none'
      ? t('welcome.modelNone')
      : t('welcome.modelIs', { name, state: t(`model.state.${status.state}`) })
  return (
    <section className="welcome-model" aria-labelledby="welcome-model">
      <div className="row wrap welcome-model-line">
        <Icon name="model" size={14} />
        <h2 id="welcome-model" className="label">
          {t('welcome.model')}
        </h2>
        <p className="grow" role="status">
          {isStatusKnown && line}
        </p>
        {!isOpen && (
          <Button variant="quiet" icon="add" onClick={() => open({ kind: 'add-server' })}>
            {t('models.addServer')}
          </Button>
        )}
        <Button
          variant="quiet"
          icon={isOpen ? 'up' : 'down'}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t(status.state === 'none' ? 'welcome.chooseModel' : 'welcome.otherModel')}
        </Button>
      </div>
      {status.error && <p className="field-note field-error">{errorText(status.error)}</p>}
      {isOpen && modelSetup}
    </section>
  )
}
