import { normaliseLineEnds, trimWhiteSpace } from '../../text/white-space.ts'
import { IdeaItem, type IdeaTarget, type IdeaWords } from './draft-details.ts'

/** One section of an idea. Units: UTF-16 positions; `contentFrom` stands behind the header's colon. */
type Section = { name: string; from: number; contentFrom: number; to: number }

/** The change of a section to the details: a text, tags, or nothing where the section is missing or empty. */
export type FieldChange = { [K in IdeaItem]?: K extends 'keywords' | 'genres' ? string[] : string }

/** Returns the next item's header as the stop for one item, besides the user's own; none for the last and all. */
export function ideaStops(target: IdeaTarget, words: IdeaWords): string[] {
  if (target === 'all') return []
  const next = IdeaItem.options[IdeaItem.options.indexOf(target) + 1]
  return next === undefined ? [] : [`\n# ${words.fields[next]}:`]
}

/** Returns the shown part of an idea: all of it, or the item's section with its header; empty when that is missing. */
export function filterIdea(output: string, target: IdeaTarget, words: IdeaWords): string {
  if (target === 'all') return output
  const text = normaliseLineEnds(output)
  const section = findSection(text, target, words)
  return section === undefined ? '' : trimWhiteSpace(text.slice(section.from, section.to))
}

/** Reads a section for its field: title is its first line, tags are lines without bullets; empty: no change. */
export function fieldChange(output: string, item: IdeaItem, words: IdeaWords): FieldChange {
  const text = normaliseLineEnds(output)
  const section = findSection(text, item, words)
  if (section === undefined) return {}
  const content = trimWhiteSpace(text.slice(section.contentFrom, section.to))
  if (content === '') return {}
  const lines = content.split('\n').map(trimWhiteSpace)
  switch (item) {
    case 'title':
      return { title: lines[0] ?? '' }
    case 'keywords':
    case 'genres': {
      const tags = [...new Set(lines.map(withoutBullet))].filter((tag) => tag !== '')
      return tags.length === 0 ? {} : { [item]: tags }
    }
    default:
      return { [item]: content }
  }
}

/** Reads an idea's sections with content, also while it is written, in the language with most headers in it. */
export function readIdea(
  output: string,
  languages: readonly IdeaWords[],
): { sections: Partial<Record<IdeaItem, string>>; change: FieldChange } {
  const text = normaliseLineEnds(output)
  const counts = languages.map((words) => findSections(text, words).length)
  const words = languages[counts.indexOf(Math.max(...counts))]
  const sections: Partial<Record<IdeaItem, string>> = {}
  let change: FieldChange = {}
  if (words === undefined) return { sections, change }
  for (const item of IdeaItem.options) {
    const section = findSection(text, item, words)
    const content = section === undefined ? '' : trimWhiteSpace(text.slice(section.contentFrom, section.to))
    if (content === '') continue
    sections[item] = content
    change = { ...change, ...fieldChange(text, item, words) }
  }
  return { sections, change }
}

/** Returns the first section of an item; any known header ends it. */
function findSection(text: string, item: IdeaItem, words: IdeaWords): Section | undefined {
  return findSections(text, words).find(({ name }) => name === words.fields[item])
}

/** Finds sections by their headers: at line start, one to six `#`, a known name, `:` or `：`. */
function findSections(text: string, words: IdeaWords): Section[] {
  const names = Object.values(words.fields).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const space = '[ \\t\\u3000]*'
  const header = new RegExp(`^${space}#{1,6}${space}(${names.join('|')})${space}[:：]`, 'gmu')
  const found = [...text.matchAll(header)]
  return found.map((match, i) => ({
    name: match[1] ?? '',
    from: match.index,
    contentFrom: match.index + match[0].length,
    to: found[i + 1]?.index ?? text.length,
  }))
}

/** Removes a list's hyphens and dots whatever follows, an asterisk or plus only before a space. */
function withoutBullet(line: string): string {
  return trimWhiteSpace(line.replace(/^(?:[-・•●‐–—]+|[*+]+(?=[ \t\u3000]))+/, ''))
}
