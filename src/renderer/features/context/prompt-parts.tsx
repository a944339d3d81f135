import type { PromptOrigin, PromptPart, RolledValue } from '../../../shared/domain/drafting/take.ts'
import { useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { originColours } from './context-figures.ts'

type PromptPartsProps = {
  parts: readonly PromptPart[]
  tokens?: Partial<Record<PromptOrigin, number>>
}

/** The very text of a prompt, in its parts; each part is named and has its origin's edge. */
export function PromptParts({ parts, tokens = {} }: PromptPartsProps) {
  const { t } = useWords()
  return (
    <ol className="prompt-parts" aria-label={t('context.prompt')}>
      {parts.map((part, index) => {
        const count = tokens[part.origin]
        const name = t(`origin.${part.origin}`)
        const isFirst = parts.findIndex((other) => other.origin === part.origin) === index
        return (
          <li
            key={`${part.origin}-${parts.slice(0, index).filter((one) => one.origin === part.origin).length}`}
            style={{ borderColor: `var(--${originColours[part.origin]})` }}
          >
            <span className="label">
              {isFirst && count !== undefined ? t('context.part', { name, count }) : name}
            </span>
            <p>{part.text}</p>
          </li>
        )
      })}
    </ol>
  )
}

type RollsProps = {
  rolls: readonly RolledValue[]
  /** Writes the word into the text in place of its options; absent where the prompt is of the past. */
  onFix?: (roll: RolledValue) => void
}

/** What the dice gave: the options as written, and the one that is sent. */
export function Rolls({ rolls, onFix }: RollsProps) {
  const { t } = useWords()
  if (rolls.length === 0) return null
  return (
    <ul className="card rolls" aria-label={t('context.rolls')}>
      {rolls.map((roll) => (
        <li key={`${roll.path ?? roll.field}-${roll.from}`} className="row">
          <span className="grow">
            <span className="dim">{roll.source}</span> → {roll.value}
          </span>
          {onFix && (
            <Button
              look="quiet"
              aria-label={t('context.fix.of', { value: roll.value })}
              onClick={() => onFix(roll)}
            >
              {t('context.fix')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
