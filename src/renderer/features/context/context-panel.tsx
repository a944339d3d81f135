import './context-panel.css'
import type { DraftPreview } from '../../../shared/domain/drafting/draft-preview.ts'
import type {
  PromptOrigin,
  PromptPart,
  RolledValue,
  TakeRecord,
} from '../../../shared/domain/drafting/take.ts'
import type { StoryReport } from '../../../shared/domain/lore/chapter-summary.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { useCountingText } from '../../state/use-phase-text.ts'
import { Button } from '../../ui/button.tsx'
import { ContextBar } from '../../ui/context-bar.tsx'
import { Notice } from '../../ui/notice.tsx'
import { barParts, lastFigures, newTokens, originColours, waitingSeconds } from './context-figures.ts'
import { LoreList } from './lore-list.tsx'

/** Shows the prompt that the next run sends, or the prompt of a take. */
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
        <p className="empty-note">{t('editor.noFile')}</p>
        <LoreList preview={null} />
      </>
    )
  return (
    <>
      <div className="row">
        <h2 className="label grow">{t('context.next')}</h2>
        {value && value.rolls.length > 0 && (
          <Button variant="quiet" onClick={() => void reroll()}>
            {t('context.reroll')}
          </Button>
        )}
        {value !== null && isLoading && <span className="dim late">{counting}</span>}
        <Button variant="quiet" onClick={() => void refresh()}>
          {t('context.refresh')}
        </Button>
      </div>
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {value === null && isLoading && <p className="empty-note late">{counting}</p>}
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
        <Button variant="quiet" onClick={hide}>
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

type PromptPartsProps = { parts: readonly PromptPart[]; tokens?: Partial<Record<PromptOrigin, number>> }

/** The exact text of a prompt in its parts, each with its name and the colour of its origin. */
function PromptParts({ parts, tokens = {} }: PromptPartsProps) {
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
            <p className="pre">{part.text}</p>
          </li>
        )
      })}
    </ol>
  )
}

type RollsProps = {
  rolls: readonly RolledValue[]
  /** Writes the word into the text in place of its options; absent for the prompt of a take. */
  onFix?: (roll: RolledValue) => void
}

/** Shows the random choices: the options as written, and the one that is sent. */
function Rolls({ rolls, onFix }: RollsProps) {
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
              variant="quiet"
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

/** Summaries in the next prompt, in place of the chapters that no longer fit; and what could be summarised. */
function StoryList({ report }: { report: StoryReport | null }) {
  const { t, errorText } = useWords()
  const open = useApp((state) => state.ui.open)
  const goTo = useApp((state) => state.documents.goTo)
  const tellSummaries = useApp((state) => state.preview.tellSummaries)
  if (report === null) return null
  const { uses, missing, unread, isHeld, usedTokens, budgetTokens } = report
  const leftOut = uses.filter(({ place }) => place === 'left-out').length + unread.length
  const nameOf = (path: string | null) => (path === null ? t('summary.whole') : displayName(path))
  return (
    <section className="card lore" aria-label={t('story.title')}>
      <div className="row">
        <h3 className="label grow">{t('story.title')}</h3>
        <span className="dim">{t('lore.budget', { used: usedTokens, budget: budgetTokens })}</span>
        <Button variant="quiet" onClick={() => open({ kind: 'summaries' })}>
          {t('story.open')}
        </Button>
      </div>
      <p className="dim">{t('story.why')}</p>
      {isHeld && (
        <Notice
          tone="plain"
          actions={
            <Button variant="quiet" onClick={() => void tellSummaries()}>
              {t('story.tellNow')}
            </Button>
          }
        >
          {t('story.held')}
        </Notice>
      )}
      <ul>
        {uses.map(({ path, file, place, isOutdated, tokens }) => (
          <li key={file} className={place === 'standing' ? 'row' : 'row lore-left-out'}>
            <button type="button" className="lore-reason grow clip" onClick={() => goTo(file)}>
              {nameOf(path)}
            </button>
            {isOutdated && <span className="dim">{t('summary.state.outdated')}</span>}
            <span className="dim">{t(`lore.place.${place}`)}</span>
            <span className="dim">{t('lore.tokens', { count: tokens })}</span>
          </li>
        ))}
        {unread.map(({ path, file, error }) => (
          <li key={file} className="lore-entry lore-left-out">
            <div className="row">
              <strong className="grow clip">{nameOf(path)}</strong>
              <span className="dim">{t('lore.place.unread')}</span>
            </div>
            <p>{errorText(error)}</p>
          </li>
        ))}
      </ul>
      {unread.length > 0 && (
        <p className="dim">{t('lore.leftOut.unread', { count: leftOut, unread: unread.length })}</p>
      )}
      {missing.length > 0 && <p className="dim">{t('story.missing', { count: missing.length })}</p>}
    </section>
  )
}
