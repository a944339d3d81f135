import './context-panel.css'
import type { DraftPreview } from '../../../shared/domain/drafting/draft-preview.ts'
import type { TakeRecord } from '../../../shared/domain/drafting/take.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { useCountingText } from '../../state/use-phase-text.ts'
import { Button } from '../../ui/button.tsx'
import { ContextBar } from '../../ui/context-bar.tsx'
import { Notice } from '../../ui/notice.tsx'
import { barParts, lastFigures, newTokens, waitingSeconds } from './context-figures.ts'
import { LoreList } from './lore-list.tsx'
import { PromptParts, Rolls } from './prompt-parts.tsx'
import { StoryList } from './story-list.tsx'

/** What the next run sends, or what a take was made from. */
export function ContextPanel() {
  const record = useApp((state) => state.takes.record)
  return <div className="context-panel">{record ? <SentPrompt record={record} /> : <NextPrompt />}</div>
}

function NextPrompt() {
  const { t, errorText } = useWords()
  const { value, isLoading, error, refresh, reroll, fix } = useApp((state) => state.preview)
  const hasFile = useApp((state) => state.documents.activePath !== null)
  const counting = useCountingText(isLoading)
  if (!hasFile)
    return (
      <>
        <p className="context-empty">{t('editor.noFile')}</p>
        <LoreList preview={null} />
      </>
    )
  return (
    <>
      <div className="row">
        <h2 className="label grow">{t('context.next')}</h2>
        {value && value.rolls.length > 0 && (
          <Button look="quiet" onClick={() => void reroll()}>
            {t('context.reroll')}
          </Button>
        )}
        {value !== null && isLoading && <span className="dim late">{counting}</span>}
        <Button look="quiet" onClick={() => void refresh()}>
          {t('context.refresh')}
        </Button>
      </div>
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {value === null && isLoading && <p className="context-empty late">{counting}</p>}
      {value?.problem && <Notice tone="bad">{errorText(value.problem)}</Notice>}
      {value && <Figures preview={value} />}
      <LoreList preview={value} />
      {value && (
        <>
          <StoryList report={value.story} />
          <Rolls rolls={value.rolls} onFix={(roll) => void fix(roll)} />
          <PromptParts parts={value.parts} tokens={value.tokensByOrigin} />
        </>
      )}
    </>
  )
}

function Figures({ preview }: { preview: DraftPreview }) {
  const { t } = useWords()
  const parts = barParts(preview, t)
  const { reusableTokens, readSpeed } = preview
  const fresh = newTokens(preview)
  const wait = !fresh || readSpeed === null ? null : waitingSeconds(fresh, readSpeed)
  return (
    <section className="card" aria-label={t('context.figures')}>
      <ContextBar
        figures={t('context.total', { used: preview.totalTokens, context: preview.contextTokens })}
        estimate={preview.isEstimate ? t('context.estimate') : null}
        parts={parts}
        total={preview.contextTokens}
      >
        {fresh !== null && (
          <p>
            {t('context.reuse', { reused: reusableTokens ?? 0, fresh })}
            {wait !== null && t('context.wait', { seconds: wait })}
            {fresh > 0 && readSpeed === null && t('context.wait.unmeasured')}
          </p>
        )}
        <LastReading />
        {preview.keptChars < preview.bodyChars && (
          <p>{t('context.kept', { kept: preview.keptChars, body: preview.bodyChars })}</p>
        )}
      </ContextBar>
    </section>
  )
}

/** The prediction for the last run, beside what was measured. */
function LastReading() {
  const { t } = useWords()
  const figures = useApp((state) => lastFigures(Object.values(state.runs.byTake).map(({ run }) => run)))
  if (figures?.reading === undefined) return null
  const { reading, promptTokens, reusedTokens } = figures
  const isCounted = promptTokens !== null && reusedTokens !== null
  const seconds = (ms: number | null, missing: 'context.unknown' | 'context.unmeasured') =>
    ms === null ? t(missing) : t('context.seconds', { seconds: (ms / 1000).toFixed(1) })
  return (
    <p>
      {t('context.last', {
        predicted: t('lore.tokens', { count: reading.predictedTokens }),
        predictedTime: seconds(reading.predictedMs, 'context.unmeasured'),
        measured: isCounted ? t('lore.tokens', { count: promptTokens - reusedTokens }) : t('context.unknown'),
        measuredTime: seconds(reading.tookMs, 'context.unknown'),
      })}
    </p>
  )
}

function SentPrompt({ record }: { record: TakeRecord }) {
  const { t, language } = useWords()
  const hide = useApp((state) => state.takes.hidePrompt)
  const { take } = record
  const facts: [string, string][] = [
    [t('context.model'), take.modelName],
    [t('context.seed'), String(record.seed)],
    ...Object.entries(record.sampler).map(([name, value]): [string, string] => [name, String(value)]),
  ]
  return (
    <>
      <div className="row">
        <h2 className="label grow">
          {t('context.sent', {
            time: new Date(take.createdAt).toLocaleString(language, {
              dateStyle: 'short',
              timeStyle: 'short',
            }),
          })}
        </h2>
        <Button look="quiet" onClick={hide}>
          {t('context.backToNext')}
        </Button>
      </div>
      <dl className="card context-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Rolls rolls={record.rolls} />
      <PromptParts parts={record.prompt} />
    </>
  )
}
