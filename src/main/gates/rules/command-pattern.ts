import { z } from 'zod'
import { textGlob } from '../../../shared/text/glob.ts'
import { type CommandWords, wrapperLists } from './wrapped-command.ts'

/** `resources/consent/commands.json`, whose `about` explains it. */
export const CommandLists = z
  .strictObject({
    about: z.string(),
    depths: z.record(z.string(), z.int().min(0)),
    systemPrograms: z.array(z.string()).min(1),
    ...wrapperLists,
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
    if (isWanted(text) || (found === 0 && isWanted(programName(text)))) found += 1
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

/** Removes folder and extension. */
function programName(text: string): string {
  return (text.split(/[/\\]/).at(-1) ?? '').replace(/\.(?:exe|cmd|bat)$/, '')
}
