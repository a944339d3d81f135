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
 * The words that a command may have while it still only reads.
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
  /** Options that include hidden files of a type, unless it is one of `plainTypes`. */
  typeOptions: names,
  plainTypes: names,
  /** With one of these, files that an ignore file excludes are read too. */
  ignoredWith: names,
  /** Content of files that are not text is not printed, unless one of `binaryWith` is given. */
  skipsBinary: z.boolean().default(false),
  binaryWith: names,
  /** Links in a folder are read as the files that they lead to. */
  readsLinks: z.boolean().default(false),
  /** One of these must be the first word; it may be left out only where there are no operands, and none are needed. */
  firstOperand: names,
  /** The only values that these options may have. */
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

/** True unless a rule allows any words of a command that neither prints or drops its words nor has a check in code. */
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
    // The subcommand's own flags take precedence: `-n` of shortlog takes no value.
    rule.values = rule.values.difference(own.flags)
    rule.numbers ||= from.numbers
    rule.choices = { ...from.choices, ...rule.choices }
    rule.widths = rule.widths.union(from.widths)
  }
  return rule
}
