import { withoutEnd } from '../../../shared/text/without-end.ts'
import type { ShellCheck } from './create-shell-check.ts'
import { braceWords, globNames, type NamesIn } from './expand-words.ts'
import type { ShellLine } from './parsing/shell-line.ts'
import type { Word } from './parsing/shell-word.ts'
import { isRefusal } from './programs/read-options.ts'

/** The folders that a line may look into, by paths relative to where it is run, or absolute. */
export type FolderView = {
  namesIn: NamesIn
  isFolder(path: string): Promise<boolean>
  /** True where surely nothing is at a path, or no folder at one that ends with a slash. */
  isMissing(path: string): Promise<boolean>
}

/** Maximum length of a line with its names written out: more than for a written one. Units: UTF-16 code units. */
export const limitLiteral = 100_000

/**
 * Returns the line with each pattern written out as quoted names, so that the command gets the names that were checked.
 *
 * Shape: null where only the shell or git can expand a pattern, or where the line with the names in it does not count
 * as one that only reads.
 */
export async function literalLine(
  check: Pick<ShellCheck, 'read' | 'readOnly'>,
  line: ShellLine,
  view: FolderView,
): Promise<string | null> {
  const open = line.commands.flatMap(({ words }) => words.filter(isPattern))
  if (open.length === 0) return hasOpenOperand(check, line) ? null : line.source
  const base = await startOf(line, view)
  const edits: { word: Word; text: string }[] = []
  for (const word of open) {
    const names = base === null ? null : await namesOf(word, base, view)
    if (names === null) return null
    edits.push({ word, text: names.map(quoted).join(' ') })
  }
  const text = edits
    .sort((a, b) => b.word.from - a.word.from)
    .reduce(
      (source, edit) => source.slice(0, edit.word.from) + edit.text + source.slice(edit.word.to),
      line.source,
    )
  const literal = await check.read(text, limitLiteral)
  return isLiteral(check, literal) ? text : null
}

/** True where a line has no pattern that the shell expands, and none that git gets. */
export function isLiteral(check: Pick<ShellCheck, 'readOnly'>, line: ShellLine): boolean {
  return !line.commands.some(({ words }) => words.some(isPattern)) && !hasOpenOperand(check, line)
}

function hasOpenOperand(check: Pick<ShellCheck, 'readOnly'>, line: ShellLine): boolean {
  const reads = check.readOnly(line)
  return (
    isRefusal(reads) || reads.operands.some(({ obstacle }) => obstacle === 'glob' || obstacle === 'brace')
  )
}

function isPattern({ hazards }: Word): boolean {
  return hazards.includes('glob') || hazards.includes('brace')
}

/**
 * Returns the folder in which a line's patterns are looked up; null where that is not sure. Every folder that a `cd`
 * may lead to is checked later.
 */
async function startOf({ source, commands }: ShellLine, view: FolderView): Promise<string | null> {
  const moves = commands.filter(({ words }) => words[0]?.raw === 'cd')
  if (moves.length === 0) return ''
  const target = moves[0]?.words[1]?.value
  const isFirst = moves.length === 1 && /^\s*cd\s/.test(source) && moves[0]?.words.length === 2
  if (!isFirst || target === undefined || target === null || /^[-~]/.test(target)) return null
  return (await view.isFolder(target)) ? `${withoutEnd(target, '/')}/` : ''
}

async function namesOf(word: Word, base: string, view: FolderView): Promise<string[] | null> {
  const known = word.hazards.every((hazard) => hazard === 'glob' || hazard === 'brace')
  const words = !known ? null : word.hazards.includes('brace') ? braceWords(word.raw) : [word.raw]
  if (words === null) return null
  const placeOf = (path: string): string => (path.startsWith('/') ? path : `${base}${path}`)
  const found: string[] = []
  for (const text of words) {
    const named = /[*?[\]]/.test(text)
      ? await globNames((folder) => view.namesIn(placeOf(folder)), text)
      : /[~{}]/.test(text)
        ? null
        : [text]
    if (named === null) return null
    // The shell takes only what is there: of `*/a.txt` the folders that have such a file, of `*/` the folders.
    const isChecked = /[*?[][^/]*\//.test(text)
    const names: string[] = []
    for (const name of named) if (!isChecked || !(await view.isMissing(placeOf(name)))) names.push(name)
    // A pattern that matches nothing stays as it is written.
    found.push(...(names.length === 0 ? [text] : names))
  }
  return found
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
