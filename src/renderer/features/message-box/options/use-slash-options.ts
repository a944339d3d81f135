import { useApp } from '../../../state/store-context.tsx'
import { type SlashOption, slashOptions } from './slash-commands.ts'

/** Returns the completions of a begun command. `text` null: the text cannot be a command. */
export function useSlashOptions(text: string | null): SlashOption[] {
  const profiles = useApp((state) => state.models.profiles)
  const statusId = useApp((state) => state.models.status.profileId)
  const { mainProfileId, fastProfileId } = useApp((state) => state.settings.value)
  if (text === null) return []
  const nameOf = (profileId: string | null) => profiles.find(({ id }) => id === profileId)?.name ?? null
  return slashOptions(text, {
    names: profiles.map(({ name }) => name),
    main: nameOf(statusId ?? mainProfileId),
    fast: nameOf(fastProfileId),
  })
}
