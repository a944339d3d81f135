import type { KeyboardEvent, SyntheticEvent } from 'react'
import { useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Kbd } from '../../ui/kbd.tsx'

type ReasonFieldProps = {
  value: string
  isReady: boolean
  onChange: (reason: string | null) => void
  onSend: (event: SyntheticEvent) => void
}

/** The field for the reason of a refusal. Keys that belong to a composition are left to it. */
export function ReasonField({ value, isReady, onChange, onSend }: ReasonFieldProps) {
  const { t } = useWords()
  const canSend = isReady && value.trim() !== ''
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      onChange(null)
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      if (canSend && !event.repeat) onSend(event)
    }
  }
  return (
    <div className="gate-reason">
      <Field label={t('gate.reason')} hint={t('gate.reason.hint')}>
        {(ids) => (
          <textarea
            {...ids}
            className="textarea"
            rows={2}
            // biome-ignore lint/a11y/noAutofocus: the user has just asked for this field
            autoFocus
            value={value}
            onChange={(event) => onChange(event.target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <div className="row">
        <Button disabled={!canSend} onClick={onSend}>
          {t('gate.reason.send')}
        </Button>
        <Button look="quiet" onClick={() => onChange(null)}>
          {t('action.cancel')}
        </Button>
        <span className="grow" />
        <Kbd keys={['Ctrl', 'Enter']} />
      </div>
    </div>
  )
}
