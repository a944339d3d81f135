import path from 'node:path'
import type { Violation } from './check-tree.ts'
import type { SourceFile } from './source-file.ts'

/** Names that say nothing about what lies under them. */
const emptyWords = /(^|[-.])(utils?|helpers?|common|misc|manager|impl|stuff)([-.]|$)/
const kebab = /^[a-z0-9]+([-.][a-z0-9]+)*\.(tsx?|mjs)$/
const emptyEndings = /[a-z](Manager|Impl|Utils?|Helpers?)$/
const hungarianType = /^I[A-Z][a-z]/
/** Nouns of this project alone, where the field has a standard term (`docs/glossary.md`). Shape: words of a name. */
const ownNouns = new Set([
  'desk',
  'lane',
  'lapse',
  'look',
  'looks',
  'ground',
  'taken',
  'ahead',
  'way',
  'ways',
])
/** A comparison with a base is `three-way` in every field. */
const standardName = /(two|three)-?way/gi

/** Files are named after their noun, in kebab-case; types carry no `I`, nothing is a `Manager`. */
export function checkNames(file: SourceFile): Violation[] {
  const messages: string[] = []
  const name = path.posix.basename(file.path)
  const folders = path.posix.dirname(file.path).split('/')
  if (!kebab.test(name)) messages.push(`${name}: file names are kebab-case`)
  for (const part of [...folders, name]) {
    if (emptyWords.test(part)) messages.push(`${part}: name it after the noun that it holds`)
    messages.push(...ownNounMessages(part))
  }
  for (const exported of [...file.exportedValues, ...file.exportedClasses, ...file.exportedTypes]) {
    if (emptyEndings.test(exported)) messages.push(`${exported}: name it after what it does`)
    messages.push(...ownNounMessages(exported))
  }
  for (const exported of file.exportedTypes) {
    if (hungarianType.test(exported)) messages.push(`${exported}: types carry no I`)
  }
  return messages.map((message) => ({ path: file.path, line: 1, message }))
}

function ownNounMessages(name: string): string[] {
  const words = name.replace(standardName, '').match(/[A-Z]?[a-z]+/g) ?? []
  const own = words.map((word) => word.toLowerCase()).find((word) => ownNouns.has(word))
  return own === undefined ? [] : [`${name}: "${own}" has a standard term`]
}
