import type { WorkSettings } from '../../../shared/domain/work/work-settings.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'

type Choice = 'app' | 'on' | 'off'

const switches = [
  { name: 'enableFollowupSuggestions', label: 'suggestion.on' },
  { name: 'enableCacheSharing', label: 'suggestion.cache' },
  { name: 'enableSpeculation', label: 'speculation.on' },
  { name: 'stopAtFirstWrite', label: 'speculation.stopAtFirstWrite' },
  { name: 'enableChainedSpeculation', label: 'speculation.chain' },
] as const satisfies { name: keyof WorkSettings; label: string }[]

/** The settings of the open folder that differ from those of all others. */
export function FolderChoices() {
  const { t } = useWords()
  const name = useApp((app) => app.work.current?.name ?? '')
  const app = useApp((state) => state.settings.value)
  const { value, update } = useApp((state) => state.workSettings)
  return (
    <section className="suggestion-folder" aria-label={t('suggestion.here', { name })}>
      <h3 className="label">{t('suggestion.here', { name })}</h3>
      <p className="small dim">{t('suggestion.here.hint')}</p>
      {switches.map((one) => (
        <ChoiceField
          key={one.name}
          label={t(one.label)}
          value={choiceOf(value[one.name])}
          options={[
            {
              value: 'app',
              label: t(app[one.name] ? 'suggestion.here.asAppOn' : 'suggestion.here.asAppOff'),
            },
            { value: 'on', label: t('suggestion.here.on') },
            { value: 'off', label: t('suggestion.here.off') },
          ]}
          onChange={(choice: Choice) =>
            void update({ [one.name]: choice === 'app' ? null : choice === 'on' })
          }
        />
      ))}
    </section>
  )
}

function choiceOf(value: boolean | null): Choice {
  if (value === null) return 'app'
  return value ? 'on' : 'off'
}
