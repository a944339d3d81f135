import { memo } from 'react'
import type { Translate } from '../../../shared/i18n/translate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { countedLines, useTurnFiles } from './changed-file.tsx'
import type { TurnOutcome } from './turn-steps.ts'

type TurnOutcomeProps = {
  turn: number
  outcome: TurnOutcome
  isOpen: boolean
  onFold: (turn: number) => void
}

/** The steps of a turn that is over, in one line; one press opens them. */
export const TurnOutcomeLine = memo(function TurnOutcomeLine(props: TurnOutcomeProps) {
  const { turn, isOpen, onFold } = props
  const { t } = useWords()
  const isBusy = useApp((state) => state.conversation.current?.state?.activity != null)
  const open = useApp((state) => state.ui.open)
  const outcome = useNetLines(turn, props.outcome)
  return (
    <div className="turn-outcome">
      <button
        type="button"
        className="call-line turn-outcome-line"
        aria-expanded={isOpen}
        onClick={() => onFold(turn)}
      >
        <span className={isOpen ? 'call-fold call-fold-open' : 'call-fold'}>
          <Icon name="chevron" size={12} />
        </span>
        <span className="clip">{outcomeText(t, outcome)}</span>
      </button>
      {outcome.files > 0 && (
        <Button look="quiet" disabled={isBusy} onClick={() => open({ kind: 'undo-turn', turn })}>
          {t('conversation.turn.undo')}
        </Button>
      )}
    </div>
  )
})

/** Returns the outcome with the lines that differ in the end, where a file was changed more than once. */
function useNetLines(turn: number, outcome: TurnOutcome): TurnOutcome {
  const { files } = useTurnFiles(turn, outcome.changes, outcome.isRepeated)
  if (!outcome.isRepeated || files === null) return outcome
  const counts = files.map(countedLines)
  if (counts.includes(null)) return outcome
  return {
    ...outcome,
    files: files.length,
    addedLines: counts.reduce((sum, one) => sum + (one?.added ?? 0), 0),
    removedLines: counts.reduce((sum, one) => sum + (one?.removed ?? 0), 0),
  }
}

function outcomeText(t: Translate, outcome: TurnOutcome): string {
  const { steps, files, addedLines, removedLines, tests, exitCode } = outcome
  return [
    t('conversation.outcome.steps', { count: steps }),
    files > 0 && t('conversation.outcome.files', { count: files, added: addedLines, removed: removedLines }),
    tests && tests.failed > 0 && t('conversation.outcome.failed', { count: tests.failed }),
    tests && tests.passed > 0 && t('conversation.outcome.passed', { count: tests.passed }),
    exitCode !== null && t('conversation.call.exit', { code: exitCode }),
  ]
    .filter((part) => typeof part === 'string')
    .join(' · ')
}
