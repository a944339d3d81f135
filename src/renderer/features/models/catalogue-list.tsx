import './catalogue.css'
import { useEffect, useState } from 'react'
import {
  type CatalogueModel,
  type CatalogueStatus,
  isDownloading,
  type ModelDownload,
  misfitOf,
} from '../../../shared/domain/model/model-catalogue.ts'
import { percentText } from '../../../shared/i18n/figure-text.ts'
import { listText, sizeText } from '../../../shared/i18n/translate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ConfirmDialog } from '../dialogs/dialog.tsx'

/** Models that can be downloaded, with their licence and what of them does not fit this machine. */
export function CatalogueList() {
  const { t, language } = useWords()
  const { status, watch } = useApp((state) => state.catalogue)
  useEffect(() => watch(), [watch])
  return (
    <section aria-labelledby="models-catalogue">
      <h3 id="models-catalogue" className="label">
        {t('catalogue.title')}
      </h3>
      <p className="small dim">
        {t('catalogue.hint', { host: status === null ? 'huggingface.co' : new URL(status.hub).host })}
        {status !== null && (
          <>
            {' '}
            {t('catalogue.machine', {
              memory: sizeText(language, status.memoryBytes),
              disk: status.freeDiskBytes === null ? '?' : sizeText(language, status.freeDiskBytes),
            })}
          </>
        )}
      </p>
      {status === null && <p className="dim late">{t('loading')}</p>}
      {status !== null && status.ownListProblem !== null && (
        <Notice tone="warn">{t('catalogue.ownListProblem', { reason: status.ownListProblem })}</Notice>
      )}
      <ul className="model-list">
        {status?.models.map((model) => (
          <CatalogueRow key={model.modelId} model={model} status={status} />
        ))}
      </ul>
    </section>
  )
}

type RowProps = { model: CatalogueModel; status: CatalogueStatus }

function CatalogueRow({ model, status }: RowProps) {
  const { t, language, errorText } = useWords()
  const download = status.downloads.find((one) => one.modelId === model.modelId)
  const isBusyElsewhere = status.downloads.some((one) => one.modelId !== model.modelId && isDownloading(one))
  if (download === undefined) return null
  const misfit = misfitOf(model, download, status)
  const facts = [
    t('catalogue.parameters', { count: model.parameters }),
    sizeText(language, model.sizeBytes),
    t('catalogue.memory', { size: sizeText(language, model.memoryBytes) }),
    listText(
      language,
      model.languages.map((one) => t(`language.${one}`)),
    ),
    listText(
      language,
      model.uses.map((one) => t(`catalogue.use.${one}`)),
    ),
  ]
  return (
    <li className="card catalogue-row" aria-label={model.name}>
      <div className="grow">
        <p className="clip">{model.name}</p>
        <p className="small dim">{facts.join(' · ')}</p>
        <p className="small dim">
          {t('catalogue.licence')}{' '}
          <a href={model.licenceUrl} target="_blank" rel="noreferrer">
            {model.licence}
          </a>{' '}
          · <span className="catalogue-address">{model.hf}</span>
        </p>
        {download.state !== 'ready' && misfit.memory && (
          <p className="small catalogue-misfit">
            {t('catalogue.noMemory', {
              needed: sizeText(language, model.memoryBytes),
              there: sizeText(language, status.memoryBytes),
            })}
          </p>
        )}
        {misfit.disk && (
          <p className="small catalogue-misfit">
            {t('catalogue.noDisk', { there: sizeText(language, status.freeDiskBytes ?? 0) })}
          </p>
        )}
        <Progress download={download} />
        {download.state === 'failed' && download.error !== null && (
          <p className="small field-error" role="alert">
            {errorText(download.error)}
          </p>
        )}
      </div>
      <RowActions
        model={model}
        download={download}
        isBusyElsewhere={isBusyElsewhere}
        isForced={misfit.memory}
        hasNoDisk={misfit.disk}
      />
    </li>
  )
}

function Progress({ download }: { download: ModelDownload }) {
  const { t, language } = useWords()
  const { state, receivedBytes, totalBytes, bytesPerSecond, canResume } = download
  const isKept = (state === 'paused' || state === 'failed') && receivedBytes > 0
  if (!isDownloading(download) && !isKept) return null
  const share = totalBytes > 0 ? receivedBytes / totalBytes : null
  const words = [
    t(`catalogue.state.${state === 'failed' ? 'paused' : state}` as 'catalogue.state.paused'),
    state === 'preparing' || share === null ? null : percentText(t, share),
    state === 'preparing' ? null : `${sizeText(language, receivedBytes)} / ${sizeText(language, totalBytes)}`,
    bytesPerSecond === null ? null : t('catalogue.speed', { size: sizeText(language, bytesPerSecond) }),
  ]
  return (
    <>
      <div className="row wrap small catalogue-progress">
        <Meter label={t('catalogue.state.fetching')} value={state === 'preparing' ? null : share} />
        <span>{words.filter((word) => word !== null).join(' · ')}</span>
      </div>
      {/* Announced only at each change of state, not with every byte. */}
      <span className="visually-hidden" role="status">
        {words[0]}
      </span>
      {!canResume && <p className="small dim">{t('catalogue.cannotResume')}</p>}
    </>
  )
}

type ActionsProps = {
  model: CatalogueModel
  download: ModelDownload
  isBusyElsewhere: boolean
  isForced: boolean
  hasNoDisk: boolean
}

function RowActions({ model, download, isBusyElsewhere, isForced, hasNoDisk }: ActionsProps) {
  const { t, language } = useWords()
  const { request, pause, cancel, remove } = useApp((state) => state.catalogue)
  const { use, profiles, status } = useApp((state) => state.models)
  const [isRemoving, setIsRemoving] = useState(false)
  const { modelId, name } = model
  const { state, file } = download
  const named = (action: string) => t('action.of', { action, name })

  if (state === 'ready' && file !== null) {
    const profile = profiles.find((one) => one.backend === 'embedded' && one.file === file)
    const isInUse = profile !== undefined && profile.id === status.profileId
    const size = sizeText(language, download.totalBytes)
    return (
      <>
        {isInUse ? (
          <span className="profile-main">{t('models.inUse')}</span>
        ) : (
          <Button aria-label={named(t('models.use'))} onClick={() => void use({ backend: 'embedded', file })}>
            {t('models.use')}
          </Button>
        )}
        <Button
          variant="quiet"
          aria-label={named(t('catalogue.remove', { size }))}
          onClick={() => setIsRemoving(true)}
        >
          {t('catalogue.remove', { size })}
        </Button>
        {isRemoving && (
          <ConfirmDialog
            title={t('catalogue.remove.title', { name })}
            confirmLabel={t('catalogue.remove', { size })}
            onConfirm={() => void remove(modelId)}
            onClose={() => setIsRemoving(false)}
          >
            {t('catalogue.remove.question', { file, size })}
          </ConfirmDialog>
        )}
      </>
    )
  }
  if (isDownloading(download)) {
    return (
      <>
        {download.canResume && state !== 'checking' && (
          <Button aria-label={named(t('catalogue.pause'))} onClick={() => void pause(modelId)}>
            {t('catalogue.pause')}
          </Button>
        )}
        <Button
          variant="quiet"
          aria-label={named(t('catalogue.cancel'))}
          onClick={() => void cancel(modelId)}
        >
          {t('catalogue.cancel')}
        </Button>
      </>
    )
  }
  const isKept = download.receivedBytes > 0
  const label = t(isKept ? 'catalogue.continue' : isForced ? 'catalogue.startAnyway' : 'catalogue.start')
  return (
    <>
      <Button
        aria-label={named(label)}
        disabled={isBusyElsewhere || hasNoDisk}
        title={isBusyElsewhere ? t('error.download/busy') : undefined}
        onClick={() => request(modelId)}
      >
        {label}
      </Button>
      {(isKept || state === 'paused') && (
        <Button
          variant="quiet"
          aria-label={named(t('catalogue.discard'))}
          onClick={() => void cancel(modelId)}
        >
          {t('catalogue.discard')}
        </Button>
      )}
    </>
  )
}
