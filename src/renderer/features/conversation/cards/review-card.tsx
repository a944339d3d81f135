import { memo, useMemo } from 'react'
import { ReviewReport } from '../../../../shared/domain/session/agent-plan.ts'
import type { CallItem } from '../../../../shared/domain/session/session-item.ts'
import { useWords } from '../../../state/store-context.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { CallCard } from './call-card.tsx'

/** The result of a review of the work, in words; a call that could not be read as one stays a call. */
export const ReviewCard = memo(function ReviewCard({ item }: { item: CallItem }) {
  const { t } = useWords()
  const report = useMemo(() => reportOf(item.args), [item.args])
  if (report === null || item.state === 'failed' || item.state === 'refused')
    return <CallCard item={item} gate={null} />
  const { verdict, rating } = report
  return (
    <article className="review-card" aria-label={t('conversation.tool.submit_review')}>
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

function reportOf(args: string): ReviewReport | null {
  try {
    return ReviewReport.safeParse(JSON.parse(args)).data ?? null
  } catch {
    return null
  }
}
