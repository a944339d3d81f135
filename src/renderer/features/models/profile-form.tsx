import { useState } from 'react'
import { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import { readServerAddress } from '../../../shared/text/server-address.ts'
import { presetName, templateName } from '../../state/slices/models-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField, optionsOf } from '../../ui/fields/choice-field.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { AddressField, KeyField } from './add-server.tsx'

/** The form of a profile. With an empty context window, the host asks the server or reads the file. */
export function ProfileForm({ profile, onDone }: { profile: ModelProfile; onDone: () => void }) {
  const { t } = useWords()
  const { presets, templates, saveProfile } = useApp((state) => state.models)
  const [edited, setEdited] = useState(profile)
  const [context, setContext] = useState(profile.contextTokens?.toString() ?? '')
  const [toolTemperature, setToolTemperature] = useState(profile.toolTemperature?.toString() ?? '')
  const [key, setKey] = useState<string | null>(null)
  const [isBad, setIsBad] = useState(false)

  const submit = async () => {
    const { contextTokens: _context, toolTemperature: _temperature, ...rest } = edited
    const parsed = ModelProfile.safeParse({
      ...rest,
      ...('address' in rest && { address: readServerAddress(rest.address) ?? rest.address }),
      ...(context.trim() !== '' && { contextTokens: Number(context.normalize('NFKC')) }),
      ...(toolTemperature.trim() !== '' && { toolTemperature: Number(toolTemperature.normalize('NFKC')) }),
    })
    setIsBad(!parsed.success)
    if (parsed.success && (await saveProfile(parsed.data, key ?? undefined))) onDone()
  }

  return (
    <Form className="profile-form" onSubmit={() => void submit()}>
      <TextField
        label={t('models.name')}
        value={edited.name}
        onChange={(name) => setEdited({ ...edited, name })}
      />
      {'address' in edited && (
        <>
          <AddressField value={edited.address} onChange={(address) => setEdited({ ...edited, address })} />
          {'model' in edited && (
            <TextField
              label={t('models.model')}
              spellCheck={false}
              value={edited.model}
              onChange={(model) => setEdited({ ...edited, model })}
            />
          )}
          <KeyField
            value={key ?? ''}
            hint={t(edited.hasKey ? 'models.key.kept' : 'models.key.hint')}
            onChange={setKey}
          />
        </>
      )}
      {edited.backend === 'openai' && (
        <ChoiceField
          label={t('models.images')}
          hint={t('models.images.hint')}
          value={edited.takesImages === undefined ? 'auto' : edited.takesImages ? 'yes' : 'no'}
          options={optionsOf(['auto', 'yes', 'no'], (value) => t(`models.images.${value}`))}
          onChange={(value) => {
            const { takesImages: _takesImages, ...rest } = edited
            setEdited(value === 'auto' ? rest : { ...rest, takesImages: value === 'yes' })
          }}
        />
      )}
      <TextField
        label={t('models.contextTokens')}
        hint={t('models.contextTokens.hint')}
        inputMode="numeric"
        value={context}
        onChange={setContext}
      />
      <TextField
        label={t('models.toolTemperature')}
        hint={t('models.toolTemperature.hint')}
        inputMode="decimal"
        value={toolTemperature}
        onChange={setToolTemperature}
      />
      <ChoiceField
        label={t('models.template')}
        hint={t('models.template.hint')}
        value={edited.templateId}
        options={withCurrent(
          templates.map((one) => ({ value: one.id, label: templateName(t, one) })),
          edited.templateId,
        )}
        onChange={(templateId) => setEdited({ ...edited, templateId, isTemplateGuessed: false })}
      />
      <ChoiceField
        label={t('models.preset')}
        value={edited.samplerPresetId}
        options={withCurrent(
          presets.map((one) => ({ value: one.id, label: presetName(t, one) })),
          edited.samplerPresetId,
        )}
        onChange={(samplerPresetId) => setEdited({ ...edited, samplerPresetId })}
      />
      {isBad && (
        <p className="field-note field-error" role="alert">
          {t('models.badForm')}
        </p>
      )}
      <div className="row">
        <span className="grow" />
        <Button onClick={onDone}>{t('action.cancel')}</Button>
        <Button variant="primary" type="submit">
          {t('action.save')}
        </Button>
      </div>
    </Form>
  )
}

/** Adds the current value to the choices where it is no longer among them. */
function withCurrent(options: { value: string; label: string }[], value: string) {
  return options.some((option) => option.value === value) ? options : [...options, { value, label: value }]
}
