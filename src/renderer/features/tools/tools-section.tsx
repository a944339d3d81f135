import { useApp, useWords } from '../../state/store-context.tsx'
import { CheckField } from '../../ui/fields/choice-field.tsx'
import { ChangeChecks } from './change-checks.tsx'
import { ProposedServers } from './proposed-servers.tsx'
import { SubmitHooks } from './submit-hooks.tsx'
import { ToolServers } from './tool-servers.tsx'

/** Tools that a model has only where the user switched them on. */
export function ToolsSection() {
  const { t } = useWords()
  const { value, update } = useApp((state) => state.settings)
  return (
    <>
      <CheckField
        label={t('settings.web')}
        hint={t('settings.web.hint')}
        value={value.isWebFetchOn}
        onChange={(isWebFetchOn) => void update({ isWebFetchOn })}
      />
      <ToolServers />
      <ProposedServers />
      <ChangeChecks />
      <SubmitHooks />
    </>
  )
}
