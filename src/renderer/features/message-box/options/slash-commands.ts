import { AgentMode } from '../../../../shared/domain/session/agent-step.ts'
import type { MessageKey } from '../../../../shared/i18n/translate.ts'
import type { AppStore } from '../../../state/app-store.ts'
import { infoOf } from '../../../state/slices/follow.ts'
import { useApp } from '../../../state/store-context.tsx'

/** Commands that are written into the message box; none of them reaches a model. */
const slashNames = [
  'model',
  'stats',
  'mode',
  'compact',
  'clear',
  'undo',
  'add-dir',
  'export',
  'help',
] as const
type SlashName = (typeof slashNames)[number]

/** `model` null: the fast one is asked about; `path` null: the folder is chosen. */
type SlashCommand =
  | { name: 'model'; isFast: false; model: string }
  | { name: 'model'; isFast: true; model: string | null }
  | { name: 'add-dir'; path: string | null }
  | { name: 'mode'; mode: AgentMode }
  | { name: Exclude<SlashName, 'model' | 'mode' | 'add-dir'> }

/** `unknown`: it looks like a command and is none. `incomplete`: it needs a name. Null: it is a message. */
type SlashReading =
  | { kind: 'command'; command: SlashCommand }
  | { kind: 'unknown'; name: string }
  | { kind: 'incomplete'; name: SlashName }
  | null

/** In place of a model's name: no model has the role. */
const noModelName = 'none'
const fastFlag = '--fast'

/** Reads a message as a command. A path (`/etc/hosts`) and a text of several lines are messages. */
export function readSlash(text: string): SlashReading {
  const match = text.trim().match(/^\/([a-z][a-z-]*)(?:[ \u3000]+(\S.*))?$/i)
  if (!match) return null
  const name = (match[1] ?? '').toLowerCase()
  const rest = (match[2] ?? '').trim()
  if (!isSlashName(name)) return { kind: 'unknown', name }
  if (name === 'add-dir') return { kind: 'command', command: { name, path: rest || null } }
  if (name === 'mode') {
    const mode = AgentMode.options.find((one) => one === rest.toLowerCase())
    return mode === undefined ? { kind: 'incomplete', name } : { kind: 'command', command: { name, mode } }
  }
  if (name !== 'model') return { kind: 'command', command: { name } }
  const fast = rest.match(/^--fast(?:\s+(.+))?$/)
  if (fast) return { kind: 'command', command: { name, isFast: true, model: fast[1] ?? null } }
  return rest === ''
    ? { kind: 'incomplete', name }
    : { kind: 'command', command: { name, isFast: false, model: rest } }
}

function isSlashName(name: string): name is SlashName {
  return (slashNames as readonly string[]).includes(name)
}

/** One completion of a command. `insert` replaces the whole message. */
type SlashOption = { id: string; insert: string; label: string; hint: MessageKey | null }

/** The models that can be named, and the names of those in use. */
export type SlashModels = { names: readonly string[]; main: string | null; fast: string | null }

/** Returns the completions of the text before the caret; empty where it does not begin a command. */
export function slashOptions(text: string, models: SlashModels): SlashOption[] {
  const named = text.match(/^\/model[ \u3000]+(--fast[ \u3000]+)?(.*)$/i)
  if (named) return modelOptions(named[1] !== undefined, (named[2] ?? '').toLowerCase(), models)
  const mode = text.match(/^\/mode[ \u3000]+(.*)$/i)?.[1]?.toLowerCase()
  if (mode !== undefined) return modeOptions(mode)
  const begun = text.match(/^\/([a-z-]*)$/i)?.[1]?.toLowerCase()
  if (begun === undefined) return []
  return slashNames
    .filter((name) => name.startsWith(begun))
    .sort((a, b) => Number(b === begun) - Number(a === begun))
    .map((name) => ({
      id: name,
      insert: name === 'model' || name === 'mode' || name === 'add-dir' ? `/${name} ` : `/${name}`,
      label: `/${name}`,
      hint: `slash.${name}`,
    }))
}

function modeOptions(wanted: string): SlashOption[] {
  return AgentMode.options
    .filter((mode) => mode.startsWith(wanted))
    .map((mode) => ({
      id: `mode-${mode}`,
      insert: `/mode ${mode}`,
      label: mode,
      hint: `session.mode.${mode}`,
    }))
}

function modelOptions(isFast: boolean, wanted: string, models: SlashModels): SlashOption[] {
  const flag = isFast ? `${fastFlag} ` : ''
  const inUse = isFast ? models.fast : models.main
  const found = models.names
    .filter((name) => name.toLowerCase().includes(wanted))
    .map(
      (name): SlashOption => ({
        id: `model-${name}`,
        insert: `/model ${flag}${name}`,
        label: name,
        hint: name === inUse ? 'slash.inUse' : null,
      }),
    )
  if (isFast) {
    const canClear = models.fast !== null && noModelName.startsWith(wanted)
    return canClear ? [...found, noModelOption] : found
  }
  // The whole flag is a command by itself: Enter asks which model it is.
  const isFlagBegun = fastFlag.startsWith(wanted) && wanted !== fastFlag
  return isFlagBegun ? [...found, fastOption] : found
}

const noModelOption: SlashOption = {
  id: 'no-model',
  insert: `/model ${fastFlag} ${noModelName}`,
  label: noModelName,
  hint: 'slash.fastNone',
}
const fastOption: SlashOption = {
  id: 'fast',
  insert: `/model ${fastFlag} `,
  label: fastFlag,
  hint: 'slash.fast',
}

/** Finds the model that a name means: its whole name, else the only one that begins with it. */
export function findModel<M extends { name: string }>(models: readonly M[], wanted: string): M | null {
  const name = wanted.toLowerCase()
  const exact = models.find((model) => model.name.toLowerCase() === name)
  if (exact) return exact
  const begun = models.filter((model) => model.name.toLowerCase().startsWith(name))
  return begun.length === 1 ? (begun[0] ?? null) : null
}

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
