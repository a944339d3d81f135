import type { RuleProblem } from '../../../shared/domain/session/consent-rule.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Shows the errors in the project's own rules, beside the list of rules. */
export function RuleProblems() {
  const { t } = useWords()
  const problems = useApp((app) => app.consent.problems)
  return problems.map((problem) => {
    const isUnread = problem.kind === 'unreadable'
    const key = isUnread ? problem.reason : `allow ${problem.pattern}`
    return (
      <Notice key={key} tone={isUnread ? 'bad' : 'warn'}>
        {isUnread ? (
          <UnreadText problem={problem} />
        ) : (
          t('rule.problem.allow-ignored', { pattern: problem.pattern })
        )}
      </Notice>
    )
  })
}

/** Says also in the session that rules are unread: until the file is mended, more is asked than the user expects. */
export function UnreadRulesNotice() {
  const { t } = useWords()
  const open = useApp((app) => app.ui.open)
  const problem = useApp((app) => app.consent.problems.find(({ kind }) => kind === 'unreadable'))
  if (problem?.kind !== 'unreadable') return null
  return (
    <Notice
      tone="warn"
      actions={
        <Button variant="quiet" onClick={() => open({ kind: 'rules' })}>
          {t('command.sessionRules')}
        </Button>
      }
    >
      <UnreadText problem={problem} />
    </Notice>
  )
}

function UnreadText({ problem }: { problem: Extract<RuleProblem, { kind: 'unreadable' }> }) {
  const { t } = useWords()
  const { reason, detail } = problem
  const why = t(`rule.problem.${reason}`)
  return t('rule.problem.unreadable', {
    why: detail === '' ? why : t('rule.problem.at', { why, place: detail }),
  })
}

/** Explains that the folder is not trusted, with the buttons that decide it. */
export function TrustNotice() {
  const { t, errorText } = useWords()
  const { trust, error, setTrusted } = useApp((app) => app.consent)
  if (trust === null || trust.isTrusted) return null
  return (
    <Notice
      tone={trust.isAsked ? 'plain' : 'warn'}
      actions={
        <>
          <Button variant={trust.isAsked ? 'quiet' : 'normal'} onClick={() => void setTrusted(true)}>
            {t('trust.yes')}
          </Button>
          {!trust.isAsked && (
            <Button variant="quiet" onClick={() => void setTrusted(false)}>
              {t('trust.no')}
            </Button>
          )}
        </>
      }
    >
      {t(trust.isAsked ? 'trust.short' : 'trust.text')}
      {error && <span className="field-error"> {errorText(error)}</span>}
    </Notice>
  )
}
