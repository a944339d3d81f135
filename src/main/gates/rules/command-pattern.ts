import { z } from 'zod'
import { textGlob } from '../../../shared/text/paths/glob.ts'

/** A simple command as the program receives it. Shape: null for a word that is known only when it runs. */
export type CommandWords = readonly (string | null)[]

/**
 * A command as written and, for each wrapper that adds nothing to it, what is left without the wrapper:
 * `timeout 5 env CI=1 ls`, `env CI=1 ls`, `ls`. Consent to one of them is consent to the whole.
 */
export type LayeredCommand = readonly [CommandWords, ...CommandWords[]]

/**
 * The command line of a program that runs another, such as `nice` or `env`.
 *
 * Shape: `values` are options with a value; `operands` is the number of words before the command that it runs.
 */
const WrapperRule = z.strictObject({
  flags: z.array(z.string()).default([]),
  values: z.array(z.string()).default([]),
  operands: z.int().min(0).default(0),
  assigns: z.boolean().default(false),
})
type WrapperRule = z.infer<typeof WrapperRule>

/** `resources/consent/commands.json`, whose `about` explains it. */
export const CommandLists = z
  .strictObject({
    about: z.string(),
    depths: z.record(z.string(), z.int().min(0)),
    systemPrograms: z.array(z.string()).min(1),
    wrappers: z.record(z.string(), WrapperRule),
    plainVariables: z.array(z.string()),
  })
  .transform(({ depths, systemPrograms, wrappers, plainVariables }) => ({
    depths: new Map(Object.entries(depths)),
    systemPrograms: new Set(systemPrograms),
    wrappers: new Map(Object.entries(wrappers)),
    plainVariables: new Set(plainVariables),
  }))
export type CommandLists = z.infer<typeof CommandLists>

/** True for exactly the pattern's words, `*` at the end for any more. For rules that allow. */
export function isAllowedBy(pattern: string, words: CommandWords): boolean {
  const wanted = wordsOf(pattern)
  const isOpen = wanted.at(-1) === '*'
  const fixed = isOpen ? wanted.slice(0, -1) : wanted
  if (wanted.length === 0 || words.includes(null)) return false
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false
  return fixed.every((part, index) => textGlob(part, { hasSets: false })(words[index] ?? ''))
}

/** True where the pattern's words stand in the command in this order, others between them. For rules that refuse. */
export function isNamedBy(pattern: string, words: CommandWords): boolean {
  const wanted = wordsOf(pattern.toLowerCase()).filter((part, index, all) => {
    return part !== '*' || (index === 0 && all.length > 1)
  })
  let found = 0
  for (const word of words) {
    const part = wanted[found]
    if (part === undefined) break
    const isWanted = textGlob(part, { hasSets: false })
    const text = word?.toLowerCase() ?? ''
    const program =
      text
        .split(/[/\\]/)
        .at(-1)
        ?.replace(/\.(?:exe|cmd|bat)$/, '') ?? ''
    if (isWanted(text) || (found === 0 && isWanted(program))) found += 1
  }
  return found === wanted.length
}

/**
 * Returns the pattern that *always allow* saves for a command: its first words, with `*` where more may follow; null
 * where that cannot be written as a pattern.
 */
export function patternOf(words: CommandWords, { depths }: CommandLists): string | null {
  const texts = words.filter((word) => word !== null)
  if (texts.length === 0 || texts.length < words.length) return null
  let depth = 0
  for (let length = 1; length <= texts.length; length++) {
    depth = depths.get(texts.slice(0, length).join(' ')) ?? depth
  }
  const isOpen = depth > 0 && depth < texts.length
  const fixed = isOpen ? texts.slice(0, depth) : texts
  if (!fixed.every((text) => /^[^\s*]+$/.test(text))) return null
  // With an option before the subcommand, the words after it may not be what they seem.
  if (isOpen && fixed.some((text) => text.startsWith('-'))) return null
  return isOpen ? `${fixed.join(' ')} *` : fixed.join(' ')
}

function wordsOf(pattern: string): string[] {
  return pattern.split(/\s+/).filter((word) => word !== '')
}

/** Numbers, times and names of signals: no value names a file or another program. */
const plainValue = /^[-+]?[\w.]+$/
const variable = /^(?<name>[A-Za-z_]\w*)=[\w.:+-]*$/

/** True for assignments such as `CI=1`, which do not change what runs. */
export function isPlainAssignment(text: string | null, { plainVariables }: CommandLists): boolean {
  return plainVariables.has(variable.exec(text ?? '')?.groups?.name ?? '')
}

export function layersOf(words: CommandWords, lists: CommandLists): LayeredCommand {
  const layers: [CommandWords, ...CommandWords[]] = [words]
  for (let inner = unwrapped(words, lists); inner !== null; inner = unwrapped(inner, lists))
    layers.push(inner)
  return layers
}

/** Returns the command that the wrapper in front runs; null without a wrapper, or where it does anything else. */
function unwrapped(words: CommandWords, lists: CommandLists): CommandWords | null {
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
