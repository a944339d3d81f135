import type { AppStore } from '../../../state/app-store.ts'
import { infoOf } from '../../../state/slices/follow.ts'
import { useApp } from '../../../state/store-context.tsx'
import {
  findModel,
  noModelName,
  type SlashCommand,
  type SlashOption,
  slashOptions,
} from './slash-commands.ts'

/** Carries out a command of the box. False where it could not be, and the text is to stay. */
export async function runSlash(store: AppStore, command: SlashCommand): Promise<boolean> {
  const { sessions, conversation, folders, ui } = store.getState()
  const hasSession = conversation.current !== null
  switch (command.name) {
    case 'help':
      ui.open({ kind: 'slash-help' })
      return true
    case 'clear':
      return (await sessions.create()) !== null
    case 'model':
      if (command.model === null) return tellFastModel(store)
      return selectModel(store, command.model, command.isFast)
    case 'mode':
      await conversation.setMode(command.mode)
      return true
    case 'add-dir':
      if (command.path === null) return folders.choose()
      await folders.ask(command.path)
      return true
    case 'stats':
      if (hasSession) ui.open({ kind: 'session-stats' })
      return hasSession
    case 'compact':
      await conversation.compact()
      return hasSession
    case 'export':
      await conversation.exportMarkdown()
      return hasSession
    case 'undo': {
      const turn = conversation.current?.items.findLast((item) => item.kind === 'user')?.turn
      if (turn !== undefined) ui.open({ kind: 'undo-turn', turn })
      return turn !== undefined
    }
  }
}

async function selectModel(store: AppStore, name: string, isFast: boolean): Promise<boolean> {
  const { models, ui } = store.getState()
  const profile = findModel(models.profiles, name)
  const isCleared = isFast && profile === null && name.toLowerCase() === noModelName
  if (profile === null && !isCleared) {
    ui.toast({ key: 'slash.noModel', values: { name } })
    return false
  }
  try {
    const profileId = profile?.id ?? null
    await store.client['profile.select']({ profileId, role: isFast ? 'fast' : 'main' })
  } catch (error) {
    ui.toastError(infoOf(error))
    return false
  }
  if (profile === null) ui.toast({ key: 'slash.fastCleared' })
  else ui.toast({ key: isFast ? 'slash.fastChosen' : 'slash.chosen', values: { name: profile.name } })
  return true
}

/** Shows which model is the fast one, and how to do without one. */
function tellFastModel(store: AppStore): boolean {
  const { models, settings, ui } = store.getState()
  const fast = models.profiles.find(({ id }) => id === settings.value.fastProfileId)
  ui.toast(
    fast === undefined ? { key: 'slash.fastIsNone' } : { key: 'slash.fastIs', values: { name: fast.name } },
  )
  return true
}

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
