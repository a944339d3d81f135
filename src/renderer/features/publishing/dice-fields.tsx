import type { ManuscriptText } from '../../../shared/domain/work/publishing.ts'
import { type DiceChoices, diceOf } from '../../state/slices/work/publishing-slice.ts'
import { useWords } from '../../state/store-context.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'

type DiceFieldsProps = {
  texts: readonly ManuscriptText[]
  dice: DiceChoices
  onChange: (dice: DiceChoices) => void
}

/** The choice for each die that readers get; the first option where nothing was chosen. */
export function DiceFields({ texts, dice, onChange }: DiceFieldsProps) {
  const { t } = useWords()
  const found = diceOf(texts)
  if (found.length === 0) return null
  return (
    <fieldset className="publish-dice">
      <legend className="label">{t('publish.dice')}</legend>
      {found.map(({ source, options }) => (
        <ChoiceField
          key={source}
          label={source}
          value={dice[source] ?? options[0] ?? ''}
          options={options.map((option) => ({ value: option, label: option }))}
          onChange={(value) => onChange({ ...dice, [source]: value })}
        />
      ))}
    </fieldset>
  )
}
