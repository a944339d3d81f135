import { type FormEvent, useState } from 'react'
import type { ConsentRule } from '../../../shared/domain/session/consent-rule.ts'
import { ruledTools } from '../../../shared/domain/session/tool-name.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/fields/choice-field.tsx'
import { Field } from '../../ui/fields/field.tsx'

const effects = ['allow', 'ask', 'deny'] as const

/** Returns the effects of a rule. A server's tools can be allowed only in their approval, which shows what they are. */
const effectsOf = (tool: ConsentRule['tool'] | 'any') =>
  effects.filter((effect) => tool !== 'mcp' || effect !== 'allow')

/** Returns the kind of thing that a pattern of a rule for this tool names. */
function patternKind(tool: ConsentRule['tool'] | 'any'): 'command' | 'site' | 'service' | 'path' {
  if (tool === 'run_command') return 'command'
  if (tool === 'mcp') return 'service'
  return tool === 'web_fetch' ? 'site' : 'path'
}

/** A new rule for the folder. */
export function RuleForm() {
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

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const trimmed = pattern.trim()
    setIsTried(trimmed === '')
    if (trimmed === '') return
    void saveRule({ effect, tool: tool === 'any' ? null : tool, pattern: trimmed }).then(
      (isSaved) => isSaved && setPattern(''),
    )
  }
  return (
    <form className="rule-form" aria-label={t('rule.new')} onSubmit={submit}>
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
      <Field
        label={t('rule.pattern')}
        hint={t(`rule.pattern.${kind}`)}
        error={isTried && pattern.trim() === '' ? t('rule.pattern.empty') : null}
      >
        {(ids) => (
          <input
            {...ids}
            className="input rule-pattern"
            maxLength={1000}
            spellCheck={false}
            autoComplete="off"
            value={pattern}
            onChange={(event) => setPattern(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button type="submit">{t('rule.add')}</Button>
      </div>
    </form>
  )
}
