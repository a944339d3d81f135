import { memo } from 'react'
import { durationText, speedText } from '../../../shared/i18n/figure-text.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { useCopy } from '../../state/use-copy.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import type { TurnFigures } from './rows.ts'

type TurnFootProps = { turn: number; figures: TurnFigures | null; answer: string; commands: string[] }

/** What a turn cost, and what can be done with it. */
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
      <span className="turn-figures grow">
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
          look="quiet"
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
