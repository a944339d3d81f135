import { memo } from 'react'
import { durationText, speedText } from '../../../shared/i18n/figure-text.ts'
import type { Translate } from '../../../shared/i18n/translate.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { useCopy } from '../../state/use-copy.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import { countedLines, useTurnFiles } from './changed-file.tsx'
import type { TurnFigures, TurnOutcome } from './rows.ts'

type TurnFootProps = { turn: number; figures: TurnFigures | null; answer: string; commands: string[] }

/** Shows the cost of a turn, and the actions on it. */
export const TurnFoot = memo(function TurnFoot({ turn, figures, answer, commands }: TurnFootProps) {
  const { t } = useWords()
  const resend = useApp((state) => state.composer.resend)
  const branch = useApp((state) => state.conversation.branch)
  const isBusy = useApp((state) => state.conversation.current?.state?.activity != null)
  const open = useApp((state) => state.ui.open)
  const [isCopied, copy] = useCopy()
  const copyLabel = t(isCopied ? 'conversation.copied' : 'action.copy')
  return (
    <footer className="turn-foot">
      <span className="turn-figures grow small dim">
        {figures && <Figures figures={figures} />}
        {commands.length > 0 && (
          <span className="turn-commands" title={commands.join('\n')}>
            {t(commands.length === 1 ? 'conversation.turn.command' : 'conversation.turn.commands', {
              command: commands[0] ?? '',
              count: commands.length - 1,
            })}
          </span>
        )}
      </span>
      {answer !== '' && (
        <Button
          variant="quiet"
          aria-label={t('action.of', { action: copyLabel, name: t('conversation.turn.answer', { turn }) })}
          onClick={() => copy(answer)}
        >
          {copyLabel}
        </Button>
      )}
      <Menu
        trigger={<IconButton icon="more" label={t('conversation.turn.more', { turn })} />}
        items={[
          {
            id: 'retry',
            label: t('conversation.turn.retry'),
            isDisabled: isBusy,
            onSelect: () => void resend(turn),
          },
          { id: 'branch', label: t('conversation.turn.branch'), onSelect: () => void branch(turn) },
          {
            id: 'undo',
            label: t('conversation.turn.undo'),
            isDisabled: isBusy,
            isDanger: true,
            onSelect: () => open({ kind: 'undo-turn', turn }),
          },
        ]}
      />
    </footer>
  )
})

function Figures({ figures }: { figures: TurnFigures }) {
  const { t } = useWords()
  const parts = [
    t('conversation.figures.written', { count: figures.completionTokens }),
    figures.reusedTokens === null
      ? t('conversation.figures.read', { count: figures.promptTokens })
      : t('conversation.figures.reused', {
          reused: figures.reusedTokens,
          fresh: Math.max(0, figures.promptTokens - figures.reusedTokens),
        }),
    figures.tokensPerSecond === null ? null : speedText(t, figures.tokensPerSecond),
    durationText(t, figures.msTotal),
    figures.isExact ? null : t('context.estimate'),
  ]
  return <>{parts.filter((part) => part !== null).join(' · ')}</>
}

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
        className="call-line grow turn-outcome-line"
        aria-expanded={isOpen}
        onClick={() => onFold(turn)}
      >
        <span className={isOpen ? 'call-fold call-fold-open' : 'call-fold'}>
          <Icon name="chevron" size={12} />
        </span>
        <span className="clip">{outcomeText(t, outcome)}</span>
      </button>
      {outcome.files > 0 && (
        <Button variant="quiet" disabled={isBusy} onClick={() => open({ kind: 'undo-turn', turn })}>
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
