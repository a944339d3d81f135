/** Commands that are written into the message box; none of them reaches a model. */
export const slashNames = ['model', 'stats', 'compact', 'clear', 'undo', 'export', 'help'] as const
export type SlashName = (typeof slashNames)[number]

export type SlashCommand =
  | { name: 'model'; model: string; isFast: boolean }
  | { name: Exclude<SlashName, 'model'> }

/** `unknown`: it looks like a command and is none. `incomplete`: it needs a name. Null: it is a message. */
export type SlashReading =
  | { kind: 'command'; command: SlashCommand }
  | { kind: 'unknown'; name: string }
  | { kind: 'incomplete'; name: SlashName }
  | null

/** Reads a message as a command. A path (`/etc/hosts`) and a text of several lines are messages. */
export function readSlash(text: string): SlashReading {
  const match = text.trim().match(/^\/([a-z][a-z-]*)(?:[ \u3000]+(\S.*))?$/i)
  if (!match) return null
  const name = (match[1] ?? '').toLowerCase()
  const rest = (match[2] ?? '').trim()
  if (!isSlashName(name)) return { kind: 'unknown', name }
  if (name !== 'model') return { kind: 'command', command: { name } }
  const isFast = /^--fast(?:\s|$)/.test(rest)
  const model = (isFast ? rest.slice('--fast'.length) : rest).trim()
  return model === '' ? { kind: 'incomplete', name } : { kind: 'command', command: { name, model, isFast } }
}

function isSlashName(name: string): name is SlashName {
  return (slashNames as readonly string[]).includes(name)
}

/** One way to go on with a command. `insert` replaces the whole message. */
export type SlashOption = { id: string; insert: string; name: SlashName; detail: string | null }

/** What can follow the text before the caret; empty where it is no beginning of a command. */
export function slashOptions(text: string, models: readonly string[]): SlashOption[] {
  const named = text.match(/^\/model[ \u3000]+(--fast[ \u3000]+)?(.*)$/i)
  if (named) {
    const flag = named[1] ? '--fast ' : ''
    const wanted = (named[2] ?? '').toLowerCase()
    return models
      .filter((model) => model.toLowerCase().includes(wanted))
      .map((model) => ({
        id: `model-${model}`,
        insert: `/model ${flag}${model}`,
        name: 'model',
        detail: model,
      }))
  }
  const begun = text.match(/^\/([a-z]*)$/i)?.[1]?.toLowerCase()
  if (begun === undefined) return []
  return slashNames
    .filter((name) => name.startsWith(begun))
    .map((name) => ({ id: name, insert: name === 'model' ? '/model ' : `/${name}`, name, detail: null }))
}

/** The model that a name means: its whole name, else the only one that begins with it. */
export function findModel<M extends { name: string }>(models: readonly M[], wanted: string): M | null {
  const name = wanted.toLowerCase()
  const exact = models.find((model) => model.name.toLowerCase() === name)
  if (exact) return exact
  const begun = models.filter((model) => model.name.toLowerCase().startsWith(name))
  return begun.length === 1 ? (begun[0] ?? null) : null
}
