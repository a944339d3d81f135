import { posix } from 'node:path'
import type { RiskReason } from '../../../shared/domain/session/gate.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { isAbsolutePath } from '../../tools/defining/root-path.ts'
import { globNames } from '../../tools/shell/expand-words.ts'
import type { Word } from '../../tools/shell/parsing/shell-word.ts'
import { type PathOperand, Places } from '../../tools/shell/programs/path-operand.ts'
import type { CommandLists } from '../rules/command-pattern.ts'
import type { FileKinds } from './file-kinds.ts'
import {
  fileId,
  holdsKey,
  isFolder,
  isStoredContent,
  isUnending,
  type LinkedSecrets,
  linkedSecrets,
  namesIn,
  secretBeneath,
} from './folder-assessment.ts'
import { realPlace } from './real-place.ts'

type Deps = { disk: Disk; kinds: FileKinds; lists: CommandLists; limitEntries?: number }

/** Above this many path candidates in a line, always ask. */
const limitTexts = 500
const harmless = new Set(['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr'])

export type PathAssessment = ReturnType<typeof createPathAssessment>

/**
 * Finds out where the words of a command line lead: outside, to secrets, to protected files.
 *
 * Shape: `folder` is relative to `root`, or an absolute path in one of `others`, where commands may go too.
 */
export function createPathAssessment(
  { disk, kinds, lists, limitEntries }: Deps,
  root: string,
  folder: string,
  others: readonly string[] = [],
) {
  const places = new Places()
  const foundPaths = new Set<string>()
  const reasons: RiskReason[] = []
  let readsDeep = false
  let linked: Promise<LinkedSecrets> | undefined
  let textCount = 0

  const add = (code: RiskReason['code'], detail: string): void => void reasons.push({ code, detail })
  const absolute = (path: string): string => (isAbsolutePath(path) ? path : `${root}/${path}`)

  /** Returns the paths that a text may mean: relative to the root or absolute, not normalised. */
  function pathsOf(text: string): string[] | null {
    const isHere = folder === '' || folder === '.'
    const paths = places.resolve(text)
    return paths?.map((path) => (isAbsolutePath(path) || isHere ? path : `${folder}/${path}`)) ?? null
  }

  function secretsOfRoot(): Promise<LinkedSecrets> {
    linked ??= linkedSecrets(disk, kinds, root, limitEntries)
    return linked
  }

  async function beneath(
    name: string,
    { command, hidden, readsIgnored, readsLinks, named, skipsBinary }: PathOperand,
  ): Promise<void> {
    for (const path of pathsOf(name) ?? []) {
      if (!(await isFolder(disk, absolute(path)))) continue
      readsDeep = true
      // The output of git is checked separately, by the names of the files in it.
      if (command === 'git') continue
      const linkIsFree = readsLinks ? isFreeLink : null
      const shared = { hidden, readsIgnored, named, skipsBinary, linked: await secretsOfRoot(), linkIsFree }
      const found = await secretBeneath(disk, kinds, absolute(path), shared, limitEntries)
      if (found === 'unknown') add('unparsed', name)
      else if (found !== null) add('secret', found.path)
    }
  }

  /** True for a link that is read as a file and leads to one inside that is no secret. */
  async function isFreeLink(path: string): Promise<boolean> {
    const place = await realPlace(disk, root, path, others)
    if (place?.isInside !== true || kinds.isSecret(place.path)) return false
    return !(await isUnendingAt(place.path))
  }

  async function isUnendingAt(path: string): Promise<boolean> {
    // A file that cannot be examined cannot be read either.
    const stats = await disk.stat(absolute(path)).catch(() => undefined)
    return stats !== undefined && isUnending(stats)
  }

  /** Reports a secret under another name, a file of git with a key in it, or contents kept by version control. */
  async function byFile(path: string): Promise<void> {
    if (isStoredContent(path)) add('secret', path)
    if (await holdsKey(disk, absolute(path))) add('secret', path)
    const id = await fileId(disk, absolute(path))
    if (id === null) return
    const secrets = await secretsOfRoot()
    if (secrets === 'unknown') add('unparsed', path)
    else if (secrets.has(id)) add('secret', path)
  }

  function byName(path: string, mayWrite: boolean): void {
    if (kinds.isSecret(path)) add('secret', path)
    if (!mayWrite) return
    if (kinds.isProtected(path) || kinds.hasKeys(path)) add('protected', path)
    if (kinds.isCi(path)) add('ci', path)
  }

  /** Expands a pattern in every folder that the line may be in; null where that is not known. */
  async function expanded(raw: string): Promise<string[] | null> {
    const found: string[] = []
    const bases = pathsOf('.')
    for (const base of bases ?? []) {
      const placeOf = (path: string): string => (path.startsWith('/') ? path : `${absolute(base)}/${path}`)
      const names = await globNames((path) => namesIn(disk, placeOf(path)), raw)
      if (names === null) return null
      found.push(...names)
    }
    return bases && found
  }

  async function assessText(text: string, mayWrite: boolean): Promise<void> {
    if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text) || harmless.has(text)) return
    await assessPlace(text, mayWrite, true)
  }

  async function assessPlace(
    text: string,
    mayWrite: boolean,
    isContent: boolean,
    isRead = false,
  ): Promise<void> {
    textCount += 1
    if (textCount > limitTexts) return
    if (isContent) byName(text, mayWrite)
    const paths = pathsOf(text)
    if (paths === null) add('unparsed', text)
    for (const path of paths ?? []) {
      const place = await realPlace(disk, root, path, others)
      if (place === null) add('outside', text)
      else if (!place.isInside) {
        const isProgram = lists.systemPrograms.has(posix.dirname(place.path))
        if (isRead || !isProgram) add('outside', text)
      } else {
        foundPaths.add(place.path)
        if (isContent) byName(place.path, mayWrite)
        if (isContent && place.isPresent) await byFile(place.path)
        if (isRead && (await isUnendingAt(place.path))) add('unparsed', text)
      }
      foundPaths.add(posix.normalize(path))
    }
  }

  return {
    result(): { paths: string[]; readsDeep: boolean; reasons: RiskReason[] } {
      if (textCount > limitTexts) add('unparsed', `${textCount}`)
      return { paths: [...foundPaths], readsDeep, reasons }
    },
    /** Notes that the line changes its folder; null: to an unknown one. Later words may be in either. */
    move: (target: string | null): void => places.move(target),
    /** Assesses a word of a command that does more than read. */
    async word({ value, raw, hazards }: Word, mayWrite: boolean): Promise<void> {
      const isGlob = value === null && hazards.every((hazard) => hazard === 'glob')
      const texts = isGlob ? await expanded(raw) : value === null ? null : textsIn(value)
      if (texts === null) add('unparsed', raw)
      for (const text of texts ?? []) await assessText(text, mayWrite)
    },
    /** Assesses a word of a git command that only reads: `HEAD:.env` is an older version of the file. */
    gitWord({ value }: Word): void {
      for (const text of textsIn(value ?? '')) byName(text, false)
    },
    /** Assesses an operand of a command that only reads. */
    async operand(operand: PathOperand): Promise<void> {
      if (operand.followsLinks && operand.isDeep) add('unparsed', operand.raw)
      const names = operand.obstacle === 'glob' ? await expanded(operand.raw) : operand.paths
      if (names === null || (operand.obstacle !== null && operand.obstacle !== 'glob')) {
        add('unparsed', operand.raw)
        return
      }
      const isSearch = operand.reads === 'contents'
      for (const name of names) await assessPlace(name, false, isSearch, isSearch)
      if (!isSearch || !operand.isDeep) return
      for (const name of names) await beneath(name, operand)
    },
  }
}

/** Returns the texts in a word that may be paths or lines: the whole, an option's value, the parts between colons. */
export function textsIn(value: string): string[] {
  const texts = [value]
  if (value.includes('=')) texts.push(value.slice(value.indexOf('=') + 1))
  if (/^-[A-Za-z]./.test(value)) texts.push(value.slice(2))
  if (value.includes(':')) texts.push(...value.split(':'))
  return [...new Set(texts)].filter((text) => text !== '' && !/^-+$/.test(text))
}
