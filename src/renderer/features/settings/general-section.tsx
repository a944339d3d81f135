import { useApp, useWords } from '../../state/store-context.tsx'
import { ChoiceField } from '../../ui/choice-field.tsx'

export function GeneralSection() {
  const { t } = useWords()
  const { value, update } = useApp((state) => state.settings)
  const host = useApp((state) => state.connection.host)
  return (
    <>
      <ChoiceField
        label={t('settings.language')}
        value={value.language}
        options={[
          { value: 'system', label: t('settings.system') },
          { value: 'ja', label: '日本語' },
          { value: 'en', label: 'English' },
        ]}
        onChange={(language) => void update({ language })}
      />
      <ChoiceField
        label={t('settings.theme')}
        hint={t('settings.theme.hint')}
        value={value.theme}
        options={(['system', 'light', 'dark', 'sepia'] as const).map((theme) => ({
          value: theme,
          label: t(theme === 'system' ? 'settings.system' : `theme.${theme}`),
        }))}
        onChange={(theme) => void update({ theme })}
      />
      {host && (
        <p className="small dim">{t('settings.about', { version: host.version, path: host.dataDir })}</p>
      )}
    </>
  )
}
