import './consent.css'
import { useEffect } from 'react'
import type { ConsentRule } from '../../../shared/domain/session/consent-rule.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { NotifyField } from './notify-field.tsx'
import { RuleForm } from './rule-form.tsx'
import { RuleProblems } from './rule-problems.tsx'
import { SandboxField, SandboxFolders } from './sandbox-field.tsx'

const scopes = ['session', 'folder', 'project'] as const

/** The folder's trust and its rules: to see, to add, to remove. What the project itself brings is only shown. */
export function RulesSection() {
  const { t, errorText } = useWords()
  const hasWork = useApp((app) => app.work.current !== null)
  const { rules, error, loadRules } = useApp((app) => app.consent)
  useEffect(() => void loadRules(), [loadRules])
  if (!hasWork) {
    return (
      <>
        <p className="dim">{t('rule.noWork')}</p>
        <NotifyField />
        <SandboxFolders />
      </>
    )
  }
  return (
    <>
      <NotifyField />
      <Trust />
      <SandboxField />
      <SandboxFolders />
      <h3 className="label">{t('rule.title')}</h3>
      <p className="small dim">{t('rule.hint')}</p>
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      <RuleProblems />
      {rules?.length === 0 && <p className="dim">{t('rule.none')}</p>}
      {scopes.map((scope) => (
        <Rules key={scope} scope={scope} rules={rules?.filter((rule) => rule.scope === scope) ?? []} />
      ))}
      <RuleForm />
    </>
  )
}

function Trust() {
  const { t } = useWords()
  const { trust, setTrusted } = useApp((app) => app.consent)
  if (trust === null) return null
  return (
    <section className="consent-trust" aria-label={t('trust.state')}>
      <h3 className="label">{t('trust.state')}</h3>
      <div className="row">
        <p className="grow">{t(trust.isTrusted ? 'trust.is' : 'trust.text')}</p>
        <Button onClick={() => void setTrusted(!trust.isTrusted)}>
          {t(trust.isTrusted ? 'trust.revoke' : 'trust.yes')}
        </Button>
      </div>
    </section>
  )
}

function Rules({ scope, rules }: { scope: ConsentRule['scope']; rules: readonly ConsentRule[] }) {
  const { t } = useWords()
  const removeRule = useApp((app) => app.consent.removeRule)
  if (rules.length === 0) return null
  return (
    <section aria-label={t(`rule.scope.${scope}`)}>
      <p className="small dim">{t(`rule.scope.${scope}`)}</p>
      <ul className="rule-list">
        {rules.map((rule) => (
          <li key={rule.ruleId} className="rule">
            <span className={`rule-effect rule-${rule.effect}`}>{t(`rule.effect.${rule.effect}`)}</span>
            <span className="rule-tool">{t(rule.tool === null ? 'rule.tool.any' : `tool.${rule.tool}`)}</span>
            <code className="grow">
              <Pieces text={rule.pattern} />
            </code>
            {isUnbound(rule) && <span className="small dim">{t('rule.pattern.unbound')}</span>}
            {scope !== 'project' && (
              <IconButton
                icon="close"
                label={t('rule.remove', { pattern: rule.pattern })}
                onClick={() => void removeRule(rule.ruleId)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** True for a rule that allows a server's tool by its name alone, as earlier versions wrote it. */
function isUnbound({ effect, tool, fingerprint }: ConsentRule): boolean {
  return effect === 'allow' && tool === 'mcp' && fingerprint === undefined
}
