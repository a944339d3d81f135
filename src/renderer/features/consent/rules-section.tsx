import './consent.css'
import { useEffect, useState } from 'react'
import type { ConsentRule } from '../../../shared/domain/session/consent-rule.ts'
import { ruledTools, toolTraits } from '../../../shared/domain/session/tool-name.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Form } from '../../ui/fields/form.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { NotifyField, SandboxField, SandboxFolders } from './consent-fields.tsx'
import { RuleProblems } from './consent-notices.tsx'

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

const effects = ['allow', 'ask', 'deny'] as const

/** Returns the effects of a rule. A server's tools can be allowed only in their approval, which shows what they are. */
const effectsOf = (tool: ConsentRule['tool'] | 'any') =>
  effects.filter((effect) => tool !== 'mcp' || effect !== 'allow')

/** Returns the kind of thing that a pattern of a rule for this tool names. */
function patternKind(tool: ConsentRule['tool'] | 'any'): 'command' | 'site' | 'service' | 'path' {
  const access = tool === null || tool === 'any' ? null : toolTraits[tool].access
  if (access === 'run') return 'command'
  if (access === 'service') return 'service'
  return access === 'web' ? 'site' : 'path'
}

function RuleForm() {
  const { t } = useWords()
  const saveRule = useApp((app) => app.consent.saveRule)
  const [effect, setEffect] = useState<ConsentRule['effect']>('ask')
  const [tool, setTool] = useState<ConsentRule['tool'] | 'any'>('run_command')
  const [pattern, setPattern] = useState('')
  const [isTried, setIsTried] = useState(false)
  const kind = patternKind(tool)
  const choose = (chosen: typeof tool): void => {
    setTool(chosen)
    if (!effectsOf(chosen).includes(effect)) setEffect('ask')
  }

  const submit = () => {
    const trimmed = pattern.trim()
    setIsTried(trimmed === '')
    if (trimmed === '') return
    void saveRule({ effect, tool: tool === 'any' ? null : tool, pattern: trimmed }).then(
      (isSaved) => isSaved && setPattern(''),
    )
  }
  return (
    <Form className="rule-form" aria-label={t('rule.new')} onSubmit={submit}>
      <h3 className="label">{t('rule.new')}</h3>
      <ChoiceField
        label={t('rule.effect')}
        value={effect}
        options={effectsOf(tool).map((value) => ({ value, label: t(`rule.effect.${value}`) }))}
        onChange={setEffect}
      />
      <ChoiceField
        label={t('rule.tool')}
        value={tool ?? 'any'}
        options={[
          { value: 'any' as const, label: t('rule.tool.any') },
          ...ruledTools.map((value) => ({ value, label: t(`tool.${value}`) })),
        ]}
        onChange={choose}
      />
      <TextField
        label={t('rule.pattern')}
        hint={t(`rule.pattern.${kind}`)}
        error={isTried && pattern.trim() === '' ? t('rule.pattern.empty') : null}
        className="input rule-pattern"
        maxLength={1000}
        spellCheck={false}
        autoComplete="off"
        value={pattern}
        onChange={setPattern}
      />
      <div>
        <Button type="submit">{t('rule.add')}</Button>
      </div>
    </Form>
  )
}
