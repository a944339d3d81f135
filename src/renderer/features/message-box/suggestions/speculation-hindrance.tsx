import { useState } from 'react'
import { useSpeculationHindrance } from '../../../state/speculation/use-speculation-switch.ts'
import { useWords } from '../../../state/store-context.tsx'
import { Button } from '../../../ui/button.tsx'

/** Says why no speculation runs although the user wants it, with the press that changes it. */
export function SpeculationHindrance() {
  const { t } = useWords()
  const hindrance = useSpeculationHindrance()
  const [hidden, setHidden] = useState<string | null>(null)
  if (hindrance === null || hindrance.kind === hidden) return null
  const { kind, text, label, act } = hindrance
  return (
    <div className="paused-suggestions" role="status">
      <p className="grow">{text}</p>
      <Button look="quiet" onClick={act}>
        {label}
      </Button>
      <Button look="quiet" onClick={() => setHidden(kind)}>
        {t('suggestion.ghost.hide')}
      </Button>
    </div>
  )
}
