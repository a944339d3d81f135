import { z } from 'zod'

/** A simple command as the program receives it. Shape: null for a word that is known only when it runs. */
export type CommandWords = readonly (string | null)[]

/**
 * A command as written and, for each wrapper that adds nothing to it, what is left without the wrapper:
 * `timeout 5 env CI=1 ls`, `env CI=1 ls`, `ls`. Consent to one of them is consent to the whole.
 */
export type LayeredCommand = readonly [CommandWords, ...CommandWords[]]

/** How a wrapper is written. Shape: `values` are options with a value, `operands` come before the command. */
const WrapperRule = z.strictObject({
  flags: z.array(z.string()).default([]),
  values: z.array(z.string()).default([]),
  operands: z.int().min(0).default(0),
  assigns: z.boolean().default(false),
})
type WrapperRule = z.infer<typeof WrapperRule>

/** Part of `resources/consent/commands.json`, whose `about` explains it. */
export const wrapperLists = {
  wrappers: z.record(z.string(), WrapperRule),
  plainVariables: z.array(z.string()),
}

export type WrapperLists = {
  wrappers: ReadonlyMap<string, WrapperRule>
  plainVariables: ReadonlySet<string>
}

/** Numbers, times and names of signals: no value names a file or another program. */
const plainValue = /^[-+]?[\w.]+$/
const variable = /^(?<name>[A-Za-z_]\w*)=[\w.:+-]*$/

/** True for assignments such as `CI=1`, which do not change what runs. */
export function isPlainAssignment(text: string | null, { plainVariables }: WrapperLists): boolean {
  return plainVariables.has(variable.exec(text ?? '')?.groups?.name ?? '')
}

export function layersOf(words: CommandWords, lists: WrapperLists): LayeredCommand {
  const layers: [CommandWords, ...CommandWords[]] = [words]
  for (let inner = unwrapped(words, lists); inner !== null; inner = unwrapped(inner, lists))
    layers.push(inner)
  return layers
}

/** Returns the command that the wrapper in front runs; null without a wrapper, or where it does anything else. */
function unwrapped(words: CommandWords, lists: WrapperLists): CommandWords | null {
  const [name, ...rest] = words
  const rule = lists.wrappers.get(name ?? '')
  if (rule === undefined) return null
  let at = optionsEnd(rest, rule)
  for (const end = at + rule.operands; at < end; at++) if (!plainValue.test(rest[at] ?? '')) return null
  while (rule.assigns && isPlainAssignment(rest[at] ?? null, lists)) at += 1
  const program = rest[at] ?? null
  // Any other word here is an option or an assignment that is not known to be harmless.
  return program === null || !/^[^-=][^=]*$/.test(program) ? null : rest.slice(at)
}

function optionsEnd(words: CommandWords, { flags, values }: WrapperRule): number {
  let at = 0
  for (;;) {
    const text = words[at] ?? ''
    const option = values.find((each) => text.startsWith(each))
    const value = option === undefined ? '' : text.slice(option.length).replace(/^=/, '')
    if (flags.includes(text)) at += 1
    else if (option === text && plainValue.test(words[at + 1] ?? '')) at += 2
    else if (plainValue.test(value)) at += 1
    else return at
  }
}
