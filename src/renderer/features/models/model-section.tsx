import { useRef, useState } from 'react'
import type { ProbeResult } from '../../../shared/domain/model/model-found.ts'
import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { speedText } from '../../../shared/i18n/figure-text.ts'
import { shownModelName } from '../../../shared/text/model-name.ts'
import { templateName } from '../../state/slices/models-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { AddServer, placeKind } from './add-server.tsx'
import { ModelSetup } from './model-setup.tsx'
import { ProfileForm } from './profile-form.tsx'

/** The settings' page of models: the profiles, then sources of further ones. */
export function ModelSection() {
  const { t } = useWords()
  const profiles = useApp((state) => state.models.profiles)
  const [isAdding, setIsAdding] = useState(false)
  const add = useRef<HTMLButtonElement>(null)
  // The form is removed together with the element that has the focus.
  const done = () => {
    add.current?.focus()
    setIsAdding(false)
  }
  return (
    <div className="model-setup">
      <section aria-labelledby="models-profiles">
        <div className="row">
          <h3 id="models-profiles" className="label grow">
            {t('models.profiles')}
          </h3>
          <Button ref={add} icon="add" aria-expanded={isAdding} onClick={() => setIsAdding(!isAdding)}>
            {t('models.addServer')}
          </Button>
        </div>
        {isAdding && <AddServer onDone={done} />}
        {profiles.length === 0 && !isAdding && <p className="dim">{t('models.noProfiles')}</p>}
        {profiles.length > 1 && <p className="small dim">{t('models.fast.hint')}</p>}
        <ul className="model-list">
          {profiles.map((profile) => (
            <ProfileCard key={profile.id} profile={profile} />
          ))}
        </ul>
      </section>
      <ModelSetup isInSettings />
    </div>
  )
}

/** One model profile: choose it, test it, change it, take it away. */
function ProfileCard({ profile }: { profile: ModelProfile }) {
  const { t } = useWords()
  const mainId = useApp((state) => state.settings.value.mainProfileId)
  const isFast = useApp((state) => state.settings.value.fastProfileId) === profile.id
  const statusId = useApp((state) => state.models.status.profileId)
  const probeResult = useApp((state) => state.models.probes[profile.id])
  const { selectProfile, removeProfile, probe } = useApp((state) => state.models)
  const [isEditing, setIsEditing] = useState(false)
  const isMain = (statusId ?? mainId) === profile.id
  const place = placeOf(profile)
  const named = (action: string) => t('action.of', { action, name: profile.name })

  return (
    <li className="card profile">
      <div className="row wrap profile-head">
        <div className="grow">
          <p className="clip">{profile.name}</p>
          <p className="small dim clip" title={place}>
            {placeKind(t, profile)} {place && `· ${place}`}
          </p>
        </div>
        {isMain ? (
          <span className="profile-main">{t('models.inUse')}</span>
        ) : (
          <Button aria-label={named(t('models.use'))} onClick={() => void selectProfile(profile.id)}>
            {t('models.use')}
          </Button>
        )}
        {isFast ? (
          <>
            <span className="profile-main">{t('models.inUseFast')}</span>
            <Button
              variant="quiet"
              aria-label={named(t('models.notFast'))}
              onClick={() => void selectProfile(null, 'fast')}
            >
              {t('models.notFast')}
            </Button>
          </>
        ) : (
          !isMain && (
            <Button
              variant="quiet"
              aria-label={named(t('models.useFast'))}
              onClick={() => void selectProfile(profile.id, 'fast')}
            >
              {t('models.useFast')}
            </Button>
          )
        )}
        <Button
          variant="quiet"
          aria-label={named(t('models.test'))}
          disabled={probeResult === null}
          onClick={() => void probe(profile.id)}
        >
          {t('models.test')}
        </Button>
        <Button
          variant="quiet"
          aria-label={named(t('action.edit'))}
          aria-expanded={isEditing}
          onClick={() => setIsEditing(!isEditing)}
        >
          {t('action.edit')}
        </Button>
        <Button
          variant="quiet"
          aria-label={named(t('action.remove'))}
          onClick={() => void removeProfile(profile.id)}
        >
          {t('action.remove')}
        </Button>
      </div>
      {profile.backend === 'openai' && profile.continuation && (
        <p className="small dim">{t(`models.continuation.${profile.continuation}`)}</p>
      )}
      {profile.isTemplateGuessed && !isEditing && <GuessedTemplate profile={profile} />}
      {probeResult === null && <p className="probe">{t('models.testing')}</p>}
      {probeResult && <ProbeText result={probeResult} />}
      {isEditing && <ProfileForm profile={profile} onDone={() => setIsEditing(false)} />}
    </li>
  )
}

/** The template that was guessed, with the others one press away. */
function GuessedTemplate({ profile }: { profile: ModelProfile }) {
  const { t } = useWords()
  const { templates, saveProfile } = useApp((state) => state.models)
  if (templates.length === 0) return null
  const isKnown = profile.backend === 'embedded' || profile.templateGuessedFor !== undefined
  return (
    <ChoiceField
      label={t('models.templateGuess')}
      hint={t(isKnown ? 'models.templateGuess.hint' : 'models.templateGuess.unknown')}
      value={profile.templateId}
      options={templates.map((one) => ({ value: one.id, label: templateName(t, one) }))}
      onChange={(templateId) => void saveProfile({ ...profile, templateId, isTemplateGuessed: false })}
    />
  )
}

function placeOf(profile: ModelProfile): string {
  if (profile.backend === 'embedded') return profile.file
  if (profile.backend === 'demo') return ''
  // What the server calls the model, where that is more than the name that is shown.
  const isPath = profile.backend === 'openai' && shownModelName(profile.model) !== profile.model
  return isPath ? `${profile.address} · ${profile.model}` : profile.address
}

function ProbeText({ result }: { result: ProbeResult }) {
  const { t, errorText } = useWords()
  if (result.error) {
    return (
      <p className="field-note field-error" role="status">
        {errorText(result.error)}
      </p>
    )
  }
  const facts = [
    result.modelName,
    result.contextTokens === null
      ? t('models.contextUnknown')
      : t('models.context', { count: result.contextTokens }),
    result.tokensPerSecond === null ? null : speedText(t, result.tokensPerSecond),
    t(result.canCountTokens ? 'models.counts' : 'models.countsNot'),
    result.canConstrain ? t('models.constrains') : null,
    result.canCallTools ? t('models.callsTools') : null,
  ].filter((fact) => fact !== null)
  return (
    <p className="probe" role="status">
      {t('models.answers')} {facts.join(' · ')}
    </p>
  )
}
