import './models.css'
import { useEffect, useState } from 'react'
import type { StarterModel } from '../../../shared/domain/model/model-catalogue.ts'
import type { FoundModel } from '../../../shared/domain/model/model-found.ts'
import { listText, sizeText } from '../../../shared/i18n/translate.ts'
import { shownModelName } from '../../../shared/text/model-name.ts'
import { modelsOf } from '../../state/model-words.ts'
import { isStarterBusy } from '../../state/slices/catalogue-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Notice } from '../../ui/notice.tsx'
import { placeKind } from './add-server.tsx'
import { CatalogueList } from './catalogue-list.tsx'

/** Sources of a model, nearest first: those on this machine, a file, a download, a server, the demo. */
export function ModelSetup({ isInSettings = false }: { isInSettings?: boolean }) {
  const { t, language, errorText } = useWords()
  const { found, isDiscovering, error, discover, use } = useApp((state) => state.models)
  const open = useApp((state) => state.ui.open)
  useEffect(() => {
    void discover()
  }, [discover])

  return (
    <div className="model-setup">
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      <section aria-labelledby="models-found">
        <div className="row">
          <h3 id="models-found" className="label grow">
            {t('models.found')}
          </h3>
          <Button variant="quiet" disabled={isDiscovering} onClick={() => void discover()}>
            {t('models.discover')}
          </Button>
        </div>
        {found === null && <p className="dim late">{t('models.discovering')}</p>}
        {found?.length === 0 && <p className="dim">{t('models.foundNone')}</p>}
        <ul className="model-list">
          {found?.map((model) => (
            <FoundRow key={model.backend === 'embedded' ? model.file : model.address} model={model} />
          ))}
        </ul>
        <div className="row wrap model-options">
          <Button icon="file" onClick={() => open({ kind: 'picker', purpose: 'open-gguf' })}>
            {t('models.openGguf')}
          </Button>
          <Button variant="quiet" onClick={() => open({ kind: 'model-path', droppedName: null })}>
            {t('models.path.title')}
          </Button>
          {!isInSettings && (
            <>
              <Button icon="add" onClick={() => open({ kind: 'add-server' })}>
                {t('models.addServer')}
              </Button>
              <Button variant="quiet" onClick={() => open({ kind: 'settings', section: 'models' })}>
                {t('catalogue.open')}
              </Button>
            </>
          )}
          <Button variant="quiet" onClick={() => void use({ backend: 'demo', language })}>
            {t('models.demo')}
          </Button>
        </div>
        <p className="small dim">{t('models.demo.hint')}</p>
      </section>
      <ModelFolders />
      <StarterList />
      {isInSettings && <CatalogueList />}
    </div>
  )
}

/** Folders of the author's own in which GGUF files lie. */
function ModelFolders() {
  const { t } = useWords()
  const folders = useApp((state) => state.settings.value.ggufFolders)
  const removeFolder = useApp((state) => state.models.removeFolder)
  const open = useApp((state) => state.ui.open)
  return (
    <section aria-labelledby="models-folders">
      <div className="row">
        <h3 id="models-folders" className="label grow">
          {t('models.folders')}
        </h3>
        <Button variant="quiet" icon="add" onClick={() => open({ kind: 'picker', purpose: 'gguf-folder' })}>
          {t('models.addFolder')}
        </Button>
      </div>
      {folders.length === 0 && <p className="dim small">{t('models.foldersNone')}</p>}
      <ul className="model-folders">
        {folders.map((path) => (
          <li key={path} className="tag">
            <span className="clip">{path}</span>
            <button
              type="button"
              aria-label={t('models.removeFolder', { path })}
              onClick={() => void removeFolder(path)}
            >
              <Icon name="close" size={10} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function FoundRow({ model }: { model: FoundModel }) {
  const { t, language } = useWords()
  const use = useApp((state) => state.models.use)
  const open = useApp((state) => state.ui.open)
  const [chosen, setChosen] = useState<string | null>(null)
  const place = model.backend === 'embedded' ? model.file : model.address
  const models = modelsOf(model)
  const name = models[0]?.name ?? null
  const { contextTokens } = model
  const needsKey = model.backend !== 'embedded' && model.needsKey
  const facts = [
    model.backend === 'embedded' ? sizeText(language, model.sizeBytes) : placeKind(t, model),
    contextTokens === null ? null : t('models.context', { count: contextTokens }),
    model.backend === 'embedded' && model.languages.length > 0 ? listText(language, model.languages) : null,
    needsKey ? t('models.needsKey') : null,
  ].filter((fact) => fact !== null)

  const choose = async () => {
    const choice = (models.find((one) => one.name === chosen) ?? models[0])?.choice
    // Without its key a server does not tell its models: the form asks for both.
    const profile = choice && (await use(choice))
    if (choice === undefined || (profile && needsKey)) open({ kind: 'settings', section: 'models' })
  }
  return (
    <li className="card model-row">
      <div className="grow">
        {models.length > 1 ? (
          <select
            className="select"
            aria-label={t('models.model')}
            value={chosen ?? name ?? undefined}
            onChange={(event) => setChosen(event.target.value)}
          >
            {models.map((one) => (
              <option key={one.name} value={one.name ?? ''} title={one.name ?? place}>
                {shownModelName(one.name ?? place)}
              </option>
            ))}
          </select>
        ) : (
          <p className="clip" title={name ?? place}>
            {name === null ? place : shownModelName(name)}
          </p>
        )}
        <p className="small dim clip" title={place}>
          {facts.join(' · ')} · {place}
        </p>
      </div>
      <Button onClick={() => void choose()}>{t('models.use')}</Button>
    </li>
  )
}

/** Small models that can be fetched; nothing goes online before its button is pressed. */
function StarterList() {
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
        <Button variant="quiet" aria-label={named(t('action.cancel'))} onClick={() => void cancel()}>
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
