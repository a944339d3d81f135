import { useWords } from '../../state/store-context.tsx'
import type { SlashOption } from './slash-commands.ts'

type SlashListProps = {
  id: string
  options: readonly SlashOption[]
  chosen: SlashOption | undefined
  onTake: (option: SlashOption) => void
}

/** The commands that can follow what was typed. The focus stays in the box. */
export function SlashList({ id, options, chosen, onTake }: SlashListProps) {
  const { t } = useWords()
  return (
    <div className="slash-list" role="listbox" aria-label={t('slash.label')} id={id}>
      {options.map((option, index) => (
        <div
          key={option.id}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={option === chosen}
          className="slash-option"
          // Before the box loses the focus.
          onMouseDown={(event) => {
            event.preventDefault()
            onTake(option)
          }}
        >
          <b>{option.detail ?? `/${option.name}`}</b>
          <span className="grow clip">{option.detail === null ? t(`slash.${option.name}`) : ''}</span>
        </div>
      ))}
    </div>
  )
}
