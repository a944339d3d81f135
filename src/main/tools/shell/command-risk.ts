import { z } from 'zod'
import type { Redirect, SimpleCommand } from './parsing/plain-line.ts'
import type { ShellLine } from './parsing/shell-line.ts'
import type { Word } from './parsing/shell-word.ts'

const words = z.string().transform((list): readonly string[] => list.split(' ').filter((word) => word !== ''))

/** `resources/shell/risk.json`. */
export const RiskRules = z.strictObject({
  about: z.string(),
  wrappers: z.array(z.string()),
  opaque: z.array(z.string()),
  readers: z.array(z.string()),
  scripts: words,
  reasons: z.strictObject({
    deletion: z.array(z.string()),
    destructive: z.array(z.string()),
    network: z.array(z.string()),
    privileged: z.array(z.string()),
  }),
})
export type RiskRules = z.infer<typeof RiskRules>

/** `unparsed` also stands for text that only another program understands (`sh -c`, `eval`, `xargs`). */
type RiskCode =
  | 'deletion'
  | 'destructive'
  | 'network'
  | 'privileged'
  | 'unparsed'
  | 'writes-file'
  | 'runs-script'
  | 'not-read-only'

/** A risk of a line, with the part of the line that causes it. */
export type LineRisk = { code: RiskCode; about: string }

/** Returns the risks of a line by the rules: none for one that only reads. `gates/risk/risk.ts` rates them. */
export function lineRisks(rules: RiskRules, line: ShellLine, isReadOnly: boolean): LineRisk[] {
  if (isReadOnly) return []
  const reasons: LineRisk[] = line.commands.flatMap((command) => reasonsOf(rules, command))
  for (const redirect of line.redirects) {
    const code = redirectRisk(redirect)
    if (code !== null) reasons.push({ code, about: `${redirect.operator} ${redirect.target?.raw ?? ''}` })
  }
  if (line.kind !== 'plain') reasons.push({ code: 'unparsed', about: line.source })
  if (reasons.length === 0) reasons.push({ code: 'not-read-only', about: line.source })
  return reasons
}

/** True for a command that runs, or writes, something that no rule can see in the line. */
export function isOpaque(rules: RiskRules, command: SimpleCommand): boolean {
  return innerCommands(rules, command.words).some((inner) => {
    const texts = textsOf(inner)
    const [name = ''] = texts
    if (name === '') return true
    if (/^[gmn]?awk$/.test(name)) return texts.some((text) => /system|getline|\|/.test(text))
    if (rules.readers.includes(name) && readsScript(texts.slice(1))) return true
    return rules.opaque.some((pattern) => isNamed(pattern.split(' '), texts))
  })
}

/** Options with which an interpreter does not run its standard input, but the folder's tests, a module or nothing. */
const runsItself = /^(?:-v|-V|-h|--version|--help|--test(?:[-=].*)?|-m.+)$/

/** True where an interpreter is given no file, so that it runs its standard input. */
function readsScript(given: readonly string[]): boolean {
  if (given.includes('-')) return true
  return given.every((text) => text.startsWith('-')) && !given.some((text) => runsItself.test(text))
}

function reasonsOf(rules: RiskRules, command: SimpleCommand): LineRisk[] {
  const reasons: LineRisk[] = []
  const about = command.words.map(({ raw }) => raw).join(' ')
  for (const inner of innerCommands(rules, command.words)) {
    const texts = textsOf(inner)
    for (const code of ['deletion', 'destructive', 'network', 'privileged'] as const) {
      if (rules.reasons[code].some((pattern) => isNamed(pattern.split(' '), texts)))
        reasons.push({ code, about })
    }
    const name = texts[0] ?? ''
    if (
      rules.scripts.includes(name) ||
      /[/\\]|\.(?:sh|py|js|mjs|ts|rb|pl|ps1|bat|cmd)$/.test(inner[0]?.raw ?? '')
    ) {
      reasons.push({ code: 'runs-script', about })
    }
  }
  if (isOpaque(rules, command)) reasons.push({ code: 'unparsed', about })
  return reasons
}

/** Returns the command itself and, after a wrapper, every rest of its words: one of these is the command that runs. */
function innerCommands(rules: RiskRules, all: readonly Word[]): (readonly Word[])[] {
  if (all.length === 0) return []
  const texts = textsOf(all)
  if (!rules.wrappers.some((pattern) => isNamed(pattern.split(' '), texts))) return [all]
  const rests = all.slice(1).map((_, index) => all.slice(index + 1))
  return [all, ...rests.filter(([first]) => first !== undefined && programName(first) !== null)]
}

/** Returns the program's name, empty where it is known only when the line runs, and the other words. */
function textsOf(words: readonly Word[]): string[] {
  return [programName(words[0]) ?? '', ...words.slice(1).map(({ value, raw }) => value ?? raw)]
}

/** Returns the program's own name without folder and ending; null where it is known only when the line runs. */
function programName(word: Word | undefined): string | null {
  const name = word?.value?.split(/[/\\]/).at(-1)
  return name === undefined ? null : name.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '')
}

/** True where a command has a pattern such as `git push --force`: its words in order, its options anywhere. */
function isNamed(pattern: readonly string[], texts: readonly string[]): boolean {
  const options = pattern.slice(1).filter((part) => part.startsWith('-'))
  const names = pattern.filter((part) => !options.includes(part))
  let found = 0
  for (const [index, text] of texts.entries()) {
    const part = names[found]
    // A program's name may have a suffix: `mkfs.ext4` is `mkfs`.
    if (text === part || (index === 0 && text.startsWith(`${part}.`))) found += 1
    if (found === 0) return false
  }
  return found === names.length && options.every((option) => texts.some((text) => hasOption(text, option)))
}

/** True for a short option also among others and with its value (`-ne'x'`), for a long one also cut (`--split=x`). */
function hasOption(text: string, option: string): boolean {
  if (text === option) return true
  if (option.startsWith('--')) {
    const [name = ''] = text.split('=')
    return name.length > 2 && option.startsWith(name)
  }
  const letters = option.length === 2 ? (/^-([A-Za-z]+)/.exec(text)?.[1] ?? '') : ''
  return letters.includes(option.charAt(1)) || text.startsWith(`${option}=`)
}

function redirectRisk({ operator, target }: Redirect): RiskCode | null {
  if (target === null || operator.startsWith('<'))
    return target?.value?.startsWith('/dev/') ? 'network' : null
  if (target.raw === '/dev/null' || /^\d+$/.test(target.raw)) return null
  return target.value?.startsWith('/dev/') ? 'destructive' : 'writes-file'
}
