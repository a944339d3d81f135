import './suggestions.css'
import { useSpeculationHindrance } from '../../state/speculation/use-speculation-switch.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField, ChoiceField, optionsOf } from '../../ui/fields/choice-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SpeculationLog, SuggestionLog } from './suggestion-logs.tsx'
import { modelHint } from './suggestion-words.ts'

/** The settings' page of suggestions: what is wanted in all folders and in this one, and what became of them. */
export function SuggestionsSection() {
  const hasWork = useApp((app) => app.work.current !== null)
  return (
    <>
      <AppChoices />
      {hasWork && <FolderChoices />}
      <SpeculationLog />
      <SuggestionLog />
    </>
  )
}

/** The switches that a user sets for all folders or for one folder, with their labels. */
const switches = {
  enableFollowupSuggestions: 'suggestion.on',
  enableCacheSharing: 'suggestion.cache',
  enableSpeculation: 'speculation.on',
  stopAtFirstWrite: 'speculation.stopAtFirstWrite',
  enableChainedSpeculation: 'speculation.chain',
} as const
type Switch = keyof typeof switches

function AppChoices() {
  const { t } = useWords()
  const { value, update } = useApp((app) => app.settings)
  const check = (name: Switch) => (
    <CheckField
      label={t(switches[name])}
      hint={t(`${switches[name]}.hint`)}
      value={value[name]}
      onChange={(isOn) => void update({ [name]: isOn })}
    />
  )
  return (
    <>
      {check('enableFollowupSuggestions')}
      {check('enableCacheSharing')}
      <ChoiceField
        label={t('suggestion.enter')}
        hint={t('suggestion.enter.hint')}
        value={value.suggestionEnter}
        options={optionsOf(['send', 'fill'], (choice) => t(`suggestion.enter.${choice}`))}
        onChange={(suggestionEnter) => void update({ suggestionEnter })}
      />
      <ModelChoice value={value.fastProfileId} />
      {check('enableSpeculation')}
      <Hindrance />
      <SpeculationModel />
      {check('stopAtFirstWrite')}
      {check('enableChainedSpeculation')}
    </>
  )
}

/** The choice of the model for speculations: that of a role, or any profile. */
function SpeculationModel() {
  const { t } = useWords()
  const { value, update } = useApp((app) => app.settings)
  const profiles = useApp((app) => app.models.profiles)
  const { speculationRole: role, speculationProfileId } = value
  const own = role === 'speculation' ? profiles.find(({ id }) => id === speculationProfileId) : undefined
  const roles = ['main', 'fast'] as const
  return (
    <>
      <ChoiceField
        label={t('speculation.model')}
        hint={t('speculation.model.hint')}
        value={role === 'speculation' ? (own?.id ?? 'main') : role}
        options={[
          ...roles.map((choice) => ({ value: choice as string, label: t(`speculation.model.${choice}`) })),
          ...profiles.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(choice) => {
          const chosen = roles.find((one) => one === choice)
          void update(
            chosen === undefined
              ? { speculationRole: 'speculation', speculationProfileId: choice }
              : { speculationRole: chosen, speculationProfileId: null },
          )
        }}
      />
      {role === 'speculation' && own === undefined && (
        <Notice tone="warn">{t('speculation.model.gone')}</Notice>
      )}
    </>
  )
}

/** Says why no speculation runs although they are on, with the press that changes it. */
function Hindrance() {
  const hindrance = useSpeculationHindrance()
  // A pause is shown above the record.
  if (hindrance === null || hindrance.kind === 'paused') return null
  return (
    <Notice tone="warn" actions={<Button onClick={hindrance.act}>{hindrance.label}</Button>}>
      {hindrance.text}
    </Notice>
  )
}

/** Which model suggests; it is chosen where models are, in its card. */
function ModelChoice({ value }: { value: string | null }) {
  const { t } = useWords()
  const open = useApp((app) => app.ui.open)
  const { profiles, status } = useApp((app) => app.models)
  const mainId = useApp((app) => status.profileId ?? app.settings.value.mainProfileId)
  const fast = profiles.find(({ id }) => id === value)
  const main = profiles.find(({ id }) => id === mainId)
  return (
    <section className="field field-row" aria-label={t('suggestion.model')}>
      <span className="field-label">{t('suggestion.model')}</span>
      <span className="row">
        <span className="suggestion-model clip">{fast?.name ?? t('suggestion.model.main')}</span>
        <Button onClick={() => open({ kind: 'settings', section: 'models' })}>
          {t('suggestion.model.choose')}
        </Button>
      </span>
      <p className="field-note">{modelHint(t, { main, fast })}</p>
    </section>
  )
}

/** The settings of the open folder that differ from those of all others. */
function FolderChoices() {
  const { t } = useWords()
  const name = useApp((app) => app.work.current?.name ?? '')
  const app = useApp((state) => state.settings.value)
  const { value, update } = useApp((state) => state.workSettings)
  return (
    <section className="suggestion-folder" aria-label={t('suggestion.here', { name })}>
      <h3 className="label">{t('suggestion.here', { name })}</h3>
      <p className="small dim">{t('suggestion.here.hint')}</p>
      {(Object.keys(switches) as Switch[]).map((one) => (
        <ChoiceField
          key={one}
          label={t(switches[one])}
          value={value[one] === null ? 'app' : value[one] ? 'on' : 'off'}
          options={[
            { value: 'app', label: t(app[one] ? 'suggestion.here.asAppOn' : 'suggestion.here.asAppOff') },
            { value: 'on', label: t('suggestion.here.on') },
            { value: 'off', label: t('suggestion.here.off') },
          ]}
          onChange={(choice: 'app' | 'on' | 'off') =>
            void update({ [one]: choice === 'app' ? null : choice === 'on' })
          }
        />
      ))}
    </section>
  )
}
