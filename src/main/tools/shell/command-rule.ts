import { z } from 'zod'

const names = z
  .string()
  .default('')
  .transform((list): ReadonlySet<string> => new Set(list.split(' ').filter((name) => name !== '')))
const letters = z
  .string()
  .default('')
  .transform((text): ReadonlySet<string> => new Set(text))

/** The rules that need more than a list; see `special-commands.ts`. */
export const SpecialCheck = z.enum([
  ...(['awk', 'command', 'date', 'find', 'git', 'jq', 'printf', 'ps'] as const),
  ...(['sed', 'seq', 'tail', 'test', 'version'] as const),
])
export type SpecialCheck = z.infer<typeof SpecialCheck>

/**
 * What a command may be given and still only reads.
 *
 * Source: `resources/shell/commands.json` and `git.json`, whose `about` explains each field.
 */
export const CommandRule = z.strictObject({
  flags: letters,
  attached: letters,
  long: names,
  values: names,
  paths: names,
  optional: names,
  patternOptions: names,
  deepWith: names,
  linksWith: names,
  impliedWith: names,
  /** Without one of these, hidden files are read only where one of `globOptions` names them. */
  hiddenWith: names,
  globOptions: names,
  /** Only files whose name matches one of their values are read, unless one of `nameSpoilers` is given. */
  nameOptions: names,
  nameSpoilers: names,
  /** Options that take in hidden files of a type, unless it is one of `plainTypes`. */
  typeOptions: names,
  plainTypes: names,
  /** One of these makes it read what ignore files leave out. */
  ignoredWith: names,
  /** Nothing is printed that stands in a file that is no text, unless one of `binaryWith` is given. */
  skipsBinary: z.boolean().default(false),
  binaryWith: names,
  /** Of a folder, links are read as what they lead to. */
  readsLinks: z.boolean().default(false),
  /** One of these is the first word of all; without it, where it may be left out, there are no operands. */
  firstOperand: names,
  /** What these options may be given, and nothing else. */
  choices: z.record(z.string(), names).default({}),
  /** Options whose number makes the output wide: at most four digits. */
  widths: names,
  /** One of these options must be given. */
  needs: names,
  /** One of these options must be given where there are operands. */
  operandsNeed: names,
  needsOperand: z.boolean().default(false),
  numbers: z.boolean().default(false),
  isDeep: z.boolean().default(false),
  openWords: z.boolean().default(false),
  optionsFirst: z.boolean().default(false),
  operands: z.enum(['none', 'names', 'text', 'paths', 'textThenPaths', 'anything']).default('none'),
  maxOperands: z.number().optional(),
  implied: z.string().optional(),
  reads: z.enum(['names', 'contents']).default('contents'),
  check: SpecialCheck.optional(),
})
export type CommandRule = z.infer<typeof CommandRule>

/** Words of any kind are for commands that print or drop their own words, and for what a rule in code looks at. */
const isBounded = ({ operands, openWords, check }: CommandRule): boolean =>
  operands !== 'anything' || openWords || check !== undefined

const Alias = z.strictObject({ like: z.string() })

/** `resources/shell/commands.json`. */
export const CommandRules = z
  .strictObject({ about: z.string(), commands: z.record(z.string(), z.union([Alias, CommandRule])) })
  .transform(({ commands }, context): ReadonlyMap<string, CommandRule> => {
    const rules = new Map<string, CommandRule>()
    for (const [name, entry] of Object.entries(commands)) {
      const rule = 'like' in entry ? commands[entry.like] : entry
      if (rule === undefined || 'like' in rule) {
        context.addIssue({ code: 'custom', message: `${name}: like what?` })
        return z.NEVER
      }
      if (!isBounded(rule)) {
        context.addIssue({ code: 'custom', message: `${name}: no positive list of words` })
        return z.NEVER
      }
      rules.set(name, rule)
    }
    return rules
  })
export type CommandRules = z.infer<typeof CommandRules>

const GitRule = CommandRule.extend({ inherits: names })
type GitRule = z.infer<typeof GitRule>

/** `resources/shell/git.json`: rules by subcommand. */
export const GitRules = z
  .strictObject({
    about: z.string(),
    shared: z.record(z.string(), CommandRule),
    subcommands: z.record(z.string(), GitRule),
  })
  .transform(({ shared, subcommands }): ReadonlyMap<string, CommandRule> => {
    const rules = Object.entries(subcommands).map(([name, rule]) => [name, inherited(rule, shared)] as const)
    return new Map(rules)
  })
export type GitRules = z.infer<typeof GitRules>

function inherited({ inherits, ...own }: GitRule, shared: Record<string, CommandRule>): CommandRule {
  const rule: CommandRule = { ...own }
  for (const name of inherits) {
    const from = shared[name]
    if (from === undefined) throw new Error(`git.json: no shared set ${name}`)
    for (const key of ['flags', 'attached', 'long', 'values', 'optional'] as const) {
      rule[key] = rule[key].union(from[key])
    }
    // What the subcommand says of an option itself goes before: `-n` of shortlog takes no value.
    rule.values = rule.values.difference(own.flags)
    rule.numbers ||= from.numbers
    rule.choices = { ...from.choices, ...rule.choices }
    rule.widths = rule.widths.union(from.widths)
  }
  return rule
}
