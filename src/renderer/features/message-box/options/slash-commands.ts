import { AgentMode } from '../../../../shared/domain/session/agent-step.ts'
import type { MessageKey } from '../../../../shared/i18n/translate.ts'

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
export type SlashCommand =
  | { name: 'model'; isFast: false; model: string }
  | { name: 'model'; isFast: true; model: string | null }
  | { name: 'add-dir'; path: string | null }
  | { name: 'mode'; mode: AgentMode }
  | { name: Exclude<SlashName, 'model' | 'mode' | 'add-dir'> }

/** `unknown`: it looks like a command and is none. `incomplete`: it needs a name. Null: it is a message. */
export type SlashReading =
  | { kind: 'command'; command: SlashCommand }
  | { kind: 'unknown'; name: string }
  | { kind: 'incomplete'; name: SlashName }
  | null

/** In place of a model's name: no model has the role. */
export const noModelName = 'none'
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
export type SlashOption = { id: string; insert: string; label: string; hint: MessageKey | null }

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
