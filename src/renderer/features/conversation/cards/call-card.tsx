import { memo, useEffect, useMemo, useState } from 'react'
import type { FolderOffer } from '../../../../shared/domain/app/added-folder.ts'
import { ReviewReport } from '../../../../shared/domain/session/agent-plan.ts'
import type { CallItem, GateConversationItem } from '../../../../shared/domain/session/session-item.ts'
import { durationText } from '../../../../shared/i18n/figure-text.ts'
import { parseJson } from '../../../../shared/text/json.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Thumbnail } from './attached-file.tsx'
import { callName, callSummary, callTitle, namedArgs } from './item-words.ts'

/** Limit of a running command's output that is shown under its line. Units: lines. */
const tailLines = 8

type CallCardProps = { item: CallItem; gate: GateConversationItem | null }

/** A tool's call in one line; it opens to what was asked and what came back. `gate`: in which it was approved. */
export const CallCard = memo(function CallCard({ item, gate }: CallCardProps) {
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const isBad = item.state === 'failed' || item.state === 'refused'
  const title = callTitle(t, item)
  const isRunning = item.state === 'running'
  const elapsedMs = useElapsed(isRunning)
  const name = callName(t, item)
  const summary =
    isRunning && elapsedMs !== null && elapsedMs >= 1_000
      ? durationText(t, Math.floor(elapsedMs / 1000) * 1000)
      : callSummary(t, item)
  const isAllowed = gate !== null && item.outcome === null && item.state !== 'asked'
  const allowed = isAllowed && t('gate.settled.approved')
  const tail = item.state === 'running' ? lastLines(item.text, tailLines) : ''
  return (
    <article className={`call-card call-${item.state}`} aria-label={`${name} ${title}`}>
      <button type="button" className="call-line" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span className={isOpen ? 'call-fold call-fold-open' : 'call-fold'}>
          <Icon name="chevron" size={12} />
        </span>
        <span className="call-name">{name}</span>
        <b className="grow clip">{title}</b>
        <span className={isBad ? 'call-summary call-bad' : 'call-summary'}>
          {[allowed, summary].filter(Boolean).join(' · ')}
        </span>
      </button>
      {item.offer && <FolderOfferLine offer={item.offer} />}
      {!isOpen && tail !== '' && <pre className="code call-tail">{tail}</pre>}
      {item.view?.kind === 'image' && <Thumbnail image={item.view.image} />}
      {isOpen && (
        <div className="column call-body">
          <Args args={item.args} />
          {item.view?.kind === 'change' && (
            <ul className="call-files">
              {item.view.files.map((file) => (
                <li key={file.path}>
                  {file.path}
                  {file.to !== null && ` → ${file.to}`} +{file.addedLines} −{file.removedLines}
                </li>
              ))}
            </ul>
          )}
          {item.text !== '' && (
            <>
              <h4 className="label">{t('conversation.call.result')}</h4>
              <pre className="code">{item.text}</pre>
            </>
          )}
        </div>
      )}
    </article>
  )
})

/** The arguments of a call. Texts of many lines are shown as written, not as JSON encodes them. */
function Args({ args }: { args: string }) {
  const { t } = useWords()
  const named = useMemo(() => namedArgs(args), [args])
  if (named?.length === 0) return null
  return (
    <>
      <h4 className="label">{t('conversation.call.args')}</h4>
      {named === null ? (
        <pre className="code">{args}</pre>
      ) : (
        <dl className="call-args">
          {named.map(([name, text]) => (
            <div key={name} className="facts-pair">
              <dt>{name}</dt>
              <dd>
                <pre className="code">{text}</pre>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}

/** Returns how long a call has run since it was first seen, by the second; null where it does not run. Units: ms. */
function useElapsed(isRunning: boolean): number | null {
  const [elapsedMs, setElapsedMs] = useState<number | null>(null)
  useEffect(() => {
    if (!isRunning) return
    const startedAt = performance.now()
    const timer = setInterval(() => setElapsedMs(performance.now() - startedAt), 1_000)
    return () => {
      clearInterval(timer)
      setElapsedMs(null)
    }
  }, [isRunning])
  return elapsedMs
}

/** For a call that was refused because of where its path leads: the folder that would help, or why none does. */
function FolderOfferLine({ offer: { path, problem } }: { offer: FolderOffer }) {
  const { t } = useWords()
  const ask = useApp((state) => state.folders.ask)
  const isAdded = useApp(
    ({ conversation }) =>
      conversation.current?.state?.folders.some((folder) => holds(folder.path, path)) ?? false,
  )
  if (isAdded) return <p className="call-offer dim">{t('folder.offer.added', { path })}</p>
  if (problem !== null) {
    const why = t(`folder.problem.${problem}`)
    return <p className="call-offer dim">{t('folder.offer.cannot', { path, problem: why })}</p>
  }
  return (
    <p className="call-offer">
      <Button icon="folder" onClick={() => void ask(path)}>
        {t('folder.offer', { path })}
      </Button>
    </p>
  )
}

/** True where `path` is the folder or lies in it. Both are real paths. */
function holds(folder: string, path: string): boolean {
  const rest = path.startsWith(folder) ? path.slice(folder.length) : null
  return rest === '' || rest?.startsWith('/') === true || rest?.startsWith('\\') === true
}

/** The result of a review of the work, in words; a call that could not be read as one stays a call. */
export const ReviewCard = memo(function ReviewCard({ item }: { item: CallItem }) {
  const { t } = useWords()
  const report = useMemo(() => ReviewReport.safeParse(parseJson(item.args)).data, [item.args])
  if (report === undefined || item.state === 'failed' || item.state === 'refused')
    return <CallCard item={item} gate={null} />
  const { verdict, rating } = report
  return (
    <article className="column review-card" aria-label={t('conversation.tool.submit_review')}>
      <p className="review-head">
        <span className={`review-mark review-${verdict}`}>
          <Icon name={verdict === 'approve' ? 'check' : verdict === 'revise' ? 'redo' : 'warn'} size={14} />
        </span>
        <b className="grow">{t(`conversation.review.verdict.${verdict}`)}</b>
        <span>{t(`conversation.review.rating.${rating}`)}</span>
      </p>
      <Findings name={t('conversation.review.problems')} lines={report.problems} />
      <Findings name={t('conversation.review.improvements')} lines={report.improvements} />
    </article>
  )
})

function Findings({ name, lines }: { name: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <div className="review-findings">
      <h4 className="label">{name}</h4>
      <ul>
        {lines.map((line, at) => {
          const key = `${at} ${line}`
          return <li key={key}>{line}</li>
        })}
      </ul>
    </div>
  )
}
