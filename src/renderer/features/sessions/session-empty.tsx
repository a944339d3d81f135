import { type ReactNode, useEffect } from 'react'
import type { FoundModel } from '../../../shared/domain/model/model-found.ts'
import { sizeText } from '../../../shared/i18n/translate.ts'
import { shownModelName } from '../../../shared/text/model-name.ts'
import { modelsOf } from '../../state/model-words.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { capableModels, otherModels, sessionFit } from './session-fit.ts'

const examples = ['explain', 'change', 'test'] as const

/** Says what a session is for; without a model, how to get one. */
export function SessionEmpty({ modelSetup }: { modelSetup: ReactNode }) {
  const { t } = useWords()
  const putBack = useApp((state) => state.composer.putBack)
  const hasNoModel = useApp((state) => state.models.isStatusKnown && state.models.status.state === 'none')
  if (hasNoModel) {
    return (
      <section className="session-empty" aria-label={t('session.empty.title')}>
        <h2>{t('session.noModel')}</h2>
        {modelSetup}
      </section>
    )
  }
  return (
    <section className="session-empty" aria-label={t('session.empty.title')}>
      <h2>{t('session.empty.title')}</h2>
      <p>{t('session.empty.lead')}</p>
      <ModelFit />
      <div className="choices session-examples">
        {examples.map((name) => {
          const text = t(`session.example.${name}`)
          return (
            <Button key={name} onClick={() => putBack([{ kind: 'text', text }])}>
              {text}
            </Button>
          )
        })}
      </div>
    </section>
  )
}

/** Limit of models of one kind that are offered; the settings have the rest. */
const mostOptions = 2

/** Says what the model in use can do in a session and, if that is little, how to get a more capable one. */
function ModelFit() {
  const { t } = useWords()
  const { status, profiles } = useApp((state) => state.models)
  if (status.state !== 'ready') return null
  const profile = profiles.find(({ id }) => id === status.profileId)
  const fit = sessionFit(status, profile)
  const name = shownModelName(status.modelName ?? status.profileName ?? '')
  return (
    <div className="model-fit">
      <p>{t(`session.fit.${fit}`, { name })}</p>
      {fit !== 'able' && <CapableModels />}
    </div>
  )
}

function CapableModels() {
  const { t, language } = useWords()
  const { found, profiles, status, use, discover } = useApp((state) => state.models)
  const { status: catalogue, watch, request } = useApp((state) => state.catalogue)
  const open = useApp((state) => state.ui.open)
  useEffect(() => {
    watch()
    void discover()
  }, [watch, discover])
  const profile = profiles.find(({ id }) => id === status.profileId)
  const others = otherModels(found, profile).slice(0, mostOptions)
  const isHere = (modelId: string) =>
    catalogue?.downloads.some((one) => one.modelId === modelId && one.state !== 'absent') ?? false
  const downloads = capableModels(catalogue)
    .filter(({ modelId }) => !isHere(modelId))
    .slice(0, mostOptions)
  const chooseFound = async (model: FoundModel) => {
    const [first] = modelsOf(model)
    if (first === undefined || (await use(first.choice)) === null)
      open({ kind: 'settings', section: 'models' })
  }
  return (
    <fieldset className="choices model-fit-options">
      <legend className="visually-hidden">{t('session.fit.better')}</legend>
      {others.map((model) => (
        <Button key={placeOf(model)} title={placeOf(model)} onClick={() => void chooseFound(model)}>
          {t('session.fit.use', { name: nameOf(model) })}
        </Button>
      ))}
      {downloads.map(({ modelId, name, sizeBytes }) => (
        <Button key={modelId} onClick={() => request(modelId)}>
          {t('session.fit.download', { name, size: sizeText(language, sizeBytes) })}
        </Button>
      ))}
      <Button icon="add" onClick={() => open({ kind: 'add-server' })}>
        {t('models.addServer')}
      </Button>
      <Button variant="quiet" onClick={() => open({ kind: 'settings', section: 'models' })}>
        {t('session.fit.all')}
      </Button>
    </fieldset>
  )
}

function placeOf(model: FoundModel): string {
  return model.backend === 'embedded' ? model.file : model.address
}

function nameOf(model: FoundModel): string {
  const name = modelsOf(model)[0]?.name
  return name ? shownModelName(name) : placeOf(model)
}
