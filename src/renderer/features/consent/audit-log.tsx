import './consent.css'
import { useEffect, useState } from 'react'
import type { AuditEntry } from '../../../shared/domain/session/consent-rule.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { type AuditVerdict, auditVerdicts, byText, foundEntries, subjectText } from './audit-entries.ts'

/** Lists the decisions about the session's calls, newest first, with who decided. */
export function AuditLog() {
  const { t, errorText } = useWords()
  const { entries, hasMore, isLoading, error, load, loadMore, clear } = useApp((app) => app.audit)
  const sessionId = useApp((app) => app.conversation.current?.sessionId ?? null)
  const openGates = useApp((app) => app.conversation.current?.state?.openGates)
  const attached = useApp(
    ({ conversation }) =>
      conversation.current?.items.findLast(({ kind }) => kind === 'file' || kind === 'folder')?.itemId,
  )
  const lastCall = useApp(({ conversation }) => {
    const call = conversation.current?.items.findLast(({ kind }) => kind === 'call')
    return call?.kind === 'call' ? `${call.itemId} ${call.state}` : null
  })
  const [text, setText] = useState('')
  const [verdict, setVerdict] = useState<AuditVerdict | 'all'>('all')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session has another log
  useEffect(() => clear(), [clear, sessionId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a gate that opens or closes, a call that was let through, a file that is sent, or a folder that is added, may be a new entry
  useEffect(() => void load(), [load, sessionId, openGates, attached, lastCall])
  const found = foundEntries(entries ?? [], text, verdict, t)

  return (
    <section className="audit" aria-label={t('audit.title')}>
      <div className="audit-filter">
        <input
          type="search"
          className="input"
          aria-label={t('audit.filter')}
          placeholder={t('audit.filter.text')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <select
          className="select"
          aria-label={t('audit.filter.verdict')}
          value={verdict}
          onChange={(event) => setVerdict(event.target.value as AuditVerdict | 'all')}
        >
          {(['all', ...auditVerdicts] as const).map((one) => (
            <option key={one} value={one}>
              {t(one === 'all' ? 'audit.filter.all' : `audit.verdict.${one}`)}
            </option>
          ))}
        </select>
      </div>
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {entries?.length === 0 && <p className="empty-note">{t('audit.none')}</p>}
      {entries !== null && entries.length > 0 && found.length === 0 && (
        <p className="empty-note">{t('audit.noneFound')}</p>
      )}
      <ol className="audit-list ruled" aria-label={t('audit.title')}>
        {found.map((entry) => (
          <Entry key={entry.seq} entry={entry} />
        ))}
      </ol>
      {hasMore && (
        <Button disabled={isLoading} onClick={() => void loadMore()}>
          {t('audit.more')}
        </Button>
      )}
    </section>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { t, language } = useWords()
  const { record, verdict, risk, reason } = entry
  const isNo = verdict === 'refused' || verdict === 'denied'
  return (
    <li className="audit-entry">
      <p className="audit-facts">
        <time dateTime={new Date(entry.at).toISOString()}>
          {new Date(entry.at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' })}
        </time>
        <b className={isNo ? 'audit-no' : undefined}>{t(`audit.verdict.${verdict}`)}</b>
        <span className="grow" />
        {risk !== 'low' && (
          <span>
            {t('gate.risk')}
            {language === 'ja' ? '：' : ': '}
            {t(`gate.risk.${risk}`)}
          </span>
        )}
      </p>
      <p className="audit-subject">
        <Pieces text={subjectText(t, entry)} />
      </p>
      <p className="audit-facts">
        <span>{t(`tool.${entry.tool}`)}</span>
        {record && <span>{byText(t, record)}</span>}
      </p>
      {reason && (
        <p className="audit-reason">
          <Pieces text={reason} />
        </p>
      )}
    </li>
  )
}
