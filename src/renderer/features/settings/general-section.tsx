import { useApp, useWords } from '../../state/store-context.tsx'
import { ChoiceField, optionsOf } from '../../ui/fields/choice-field.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { settingFields } from './setting-fields.tsx'

const kilobyte = 1024

export function GeneralSection() {
  const { t } = useWords()
  const { value, update } = useApp((state) => state.settings)
  const host = useApp((state) => state.connection.host)
  const { choice } = settingFields({ t, value, onChange: (patch) => void update(patch) })
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
      {choice('theme', 'settings.theme', ['system', 'light', 'dark', 'sepia'], (theme) =>
        theme === 'system' ? 'settings.system' : `theme.${theme}`,
      )}
      <ChoiceField
        label={t('settings.attachedFile')}
        hint={t('settings.attachedFile.hint')}
        value={value.attachedFileLimit === null ? 'scaled' : 'fixed'}
        options={optionsOf(['scaled', 'fixed'], (choice) => t(`settings.attachedFile.${choice}`))}
        onChange={(choice) => void update({ attachedFileLimit: choice === 'fixed' ? 16 * kilobyte : null })}
      />
      {value.attachedFileLimit !== null && (
        <NumberField
          label={t('settings.attachedFileLimit')}
          min={1}
          max={1024}
          value={Math.round(value.attachedFileLimit / kilobyte)}
          onCommit={(count) => void update({ attachedFileLimit: count * kilobyte })}
        />
      )}
      {choice(
        'decideFirst',
        'settings.decideFirst',
        ['auto', 'always'],
        (one) => `settings.decideFirst.${one}`,
      )}
      {choice(
        'reviewChanges',
        'settings.reviewChanges',
        ['auto', 'always'],
        (one) => `settings.reviewChanges.${one}`,
      )}
      <section className="settings-list" aria-label={t('settings.layerTokens')}>
        <h3>{t('settings.layerTokens')}</h3>
        <p className="small dim">{t('settings.layerTokens.hint')}</p>
        {(['base', 'main', 'specialised'] as const).map((layer) => (
          <NumberField
            key={layer}
            label={t(`sent.layer.${layer}`)}
            min={50}
            max={1_000_000}
            value={value.layerTokens[layer]}
            onCommit={(tokens) => void update({ layerTokens: { [layer]: tokens } })}
          />
        ))}
      </section>
      {host && (
        <p className="small dim">{t('settings.about', { version: host.version, path: host.dataDir })}</p>
      )}
    </>
  )
}
