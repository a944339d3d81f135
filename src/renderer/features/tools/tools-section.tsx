import { exploreRole } from '../../../shared/suggestion/single-slot.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { CheckField } from '../../ui/fields/choice-field.tsx'
import { ChangeChecks, SubmitHooks } from './folder-commands.tsx'
import { ProposedServers, ToolServers } from './tool-servers.tsx'

/** Returns the name of the model that explores; null: none can. */
function useExplorer(): string | null {
  const profiles = useApp((state) => state.models.profiles)
  const { mainProfileId, fastProfileId } = useApp((state) => state.settings.value)
  const main = profiles.find(({ id }) => id === mainProfileId)
  const fast = profiles.find(({ id }) => id === fastProfileId) ?? null
  const role = main === undefined ? null : exploreRole(main, fast)
  return (role === 'fast' ? fast?.name : role === 'main' ? main?.name : null) ?? null
}

/** Tools that a model has only where the user switched them on. */
export function ToolsSection() {
  const { t } = useWords()
  const { value, update } = useApp((state) => state.settings)
  const explorer = useExplorer()
  return (
    <>
      <CheckField
        label={t('settings.web')}
        hint={t('settings.web.hint')}
        value={value.isWebFetchOn}
        onChange={(isWebFetchOn) => void update({ isWebFetchOn })}
      />
      <CheckField
        label={t('settings.explore')}
        hint={explorer === null ? t('settings.explore.none') : t('settings.explore.by', { name: explorer })}
        value={value.isExploreOn}
        onChange={(isExploreOn) => void update({ isExploreOn })}
      />
      <ToolServers />
      <ProposedServers />
      <ChangeChecks />
      <SubmitHooks />
    </>
  )
}
