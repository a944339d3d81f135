import { posix } from 'node:path'
import type { RiskReason } from '../../../shared/domain/session/gate.ts'
import type { Disk } from '../../platform/files/disk.ts'
import { isAbsolutePath } from '../../tools/defining/root-path.ts'
import type { Word } from '../../tools/shell/parsing/shell-word.ts'
import { type PathOperand, Places } from '../../tools/shell/programs/path-operand.ts'
import type { CommandLists } from '../rules/command-pattern.ts'
import type { FileKinds } from './file-kinds.ts'
import {
  expandedGlob,
  fileId,
  holdsKey,
  isFolder,
  isStoredContent,
  isUnending,
  type LinkedSecrets,
  linkedSecrets,
  secretBeneath,
} from './folder-assessment.ts'
import { realPlace } from './real-place.ts'

type Deps = { disk: Disk; kinds: FileKinds; lists: CommandLists; limitEntries?: number }

/** Above this many path candidates in a line, always ask. */
const limitTexts = 500
const harmless = new Set(['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr'])

/** Finds out where the words of a command line lead: outside, to secrets, to protected files. */
export class PathAssessment {
  readonly #deps: Deps
  readonly #root: string
  readonly #others: readonly string[]
  readonly #folder: string
  readonly #places = new Places()
  readonly #paths = new Set<string>()
  readonly #reasons: RiskReason[] = []
  #readsDeep = false
  #linked: Promise<LinkedSecrets> | undefined
  #texts = 0

  /** Shape: `folder` is relative to `root`, or an absolute path in one of `others`, where commands may go too. */
  constructor(deps: Deps, root: string, folder: string, others: readonly string[] = []) {
    this.#deps = deps
    this.#root = root
    this.#others = others
    this.#folder = folder
  }

  result(): { paths: string[]; readsDeep: boolean; reasons: RiskReason[] } {
    if (this.#texts > limitTexts) this.#add('unparsed', `${this.#texts}`)
    return { paths: [...this.#paths], readsDeep: this.#readsDeep, reasons: this.#reasons }
  }

  /** Notes that the line changes its folder; null: to an unknown one. Later words may be in either. */
  move(target: string | null): void {
    this.#places.move(target)
  }

  /** Assesses a word of a command that does more than read. */
  async word(word: Word, mayWrite: boolean): Promise<void> {
    if (word.value === null) {
      await this.#unknown(word, mayWrite)
      return
    }
    for (const text of textsIn(word.value)) await this.#text(text, mayWrite)
  }

  /** Assesses a word of a git command that only reads: `HEAD:.env` is an older version of the file. */
  async gitWord({ value }: Word): Promise<void> {
    for (const text of textsIn(value ?? '')) this.#byName(text, false)
  }

  /** Assesses an operand of a command that only reads. */
  async operand(operand: PathOperand): Promise<void> {
    if (operand.followsLinks && operand.isDeep) this.#add('unparsed', operand.raw)
    const names = operand.obstacle === 'glob' ? await this.#expanded(operand.raw) : operand.paths
    if (names === null || (operand.obstacle !== null && operand.obstacle !== 'glob')) {
      this.#add('unparsed', operand.raw)
      return
    }
    const isSearch = operand.reads === 'contents'
    for (const name of names) await this.#place(name, false, isSearch, isSearch)
    if (!isSearch || !operand.isDeep) return
    for (const name of names) await this.#beneath(name, operand)
  }

  async #beneath(
    name: string,
    { command, hidden, readsIgnored, readsLinks, named, skipsBinary }: PathOperand,
  ): Promise<void> {
    const linkIsFree = readsLinks ? (path: string) => this.#isFreeLink(path) : null
    for (const path of this.#from(name) ?? []) {
      if (!(await isFolder(this.#deps.disk, this.#absolute(path)))) continue
      this.#readsDeep = true
      // The output of git is checked separately, by the names of the files in it.
      if (command === 'git') continue
      const linked = await this.#linkedSecrets()
      const reading = { hidden, readsIgnored, named, skipsBinary, linked, linkIsFree }
      const { disk, kinds, limitEntries } = this.#deps
      const found = await secretBeneath(disk, kinds, this.#absolute(path), reading, limitEntries)
      if (found === 'unknown') this.#add('unparsed', name)
      else if (found !== null) this.#add('secret', found.path)
    }
  }

  /** True for a link that is read as a file and leads to one inside that is no secret. */
  async #isFreeLink(path: string): Promise<boolean> {
    const place = await realPlace(this.#deps.disk, this.#root, path, this.#others)
    if (place?.isInside !== true || this.#deps.kinds.isSecret(place.path)) return false
    return !(await this.#isUnending(place.path))
  }

  async #isUnending(path: string): Promise<boolean> {
    try {
      const stats = await this.#deps.disk.stat(this.#absolute(path))
      return stats !== undefined && isUnending(stats)
    } catch {
      // A file that cannot be examined cannot be read either.
      return false
    }
  }

  #linkedSecrets(): Promise<LinkedSecrets> {
    const { disk, kinds, limitEntries } = this.#deps
    this.#linked ??= linkedSecrets(disk, kinds, this.#root, limitEntries)
    return this.#linked
  }

  /** Reports a secret under another name, a file of git with a key in it, or contents kept by version control. */
  async #byFile(path: string): Promise<void> {
    if (isStoredContent(path)) this.#add('secret', path)
    if (await holdsKey(this.#deps.disk, this.#absolute(path))) this.#add('secret', path)
    const id = await fileId(this.#deps.disk, this.#absolute(path))
    if (id === null) return
    const linked = await this.#linkedSecrets()
    if (linked === 'unknown') this.#add('unparsed', path)
    else if (linked.has(id)) this.#add('secret', path)
  }

  async #unknown({ raw, hazards }: Word, mayWrite: boolean): Promise<void> {
    const isGlob = hazards.every((hazard) => hazard === 'glob')
    const names = isGlob ? await this.#expanded(raw) : null
    if (names === null) this.#add('unparsed', raw)
    else for (const name of names) await this.#text(name, mayWrite)
  }

  /** Expands a pattern in every folder that the line may be in; null where that is not known. */
  async #expanded(raw: string): Promise<string[] | null> {
    const found: string[] = []
    for (const base of this.#from('.') ?? [null]) {
      const names = base === null ? null : await expandedGlob(this.#deps.disk, this.#absolute(base), raw)
      if (names === null) return null
      found.push(...names)
    }
    return found
  }

  async #text(text: string, mayWrite: boolean): Promise<void> {
    if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text) || harmless.has(text)) return
    await this.#place(text, mayWrite, true)
  }

  async #place(text: string, mayWrite: boolean, isContent: boolean, isRead = false): Promise<void> {
    this.#texts += 1
    if (this.#texts > limitTexts) return
    if (isContent) this.#byName(text, mayWrite)
    const paths = this.#from(text)
    if (paths === null) this.#add('unparsed', text)
    for (const path of paths ?? []) {
      const place = await realPlace(this.#deps.disk, this.#root, path, this.#others)
      if (place === null) this.#add('outside', text)
      else if (!place.isInside) {
        const isProgram = this.#deps.lists.systemPrograms.has(posix.dirname(place.path))
        if (isRead || !isProgram) this.#add('outside', text)
      } else {
        this.#paths.add(place.path)
        if (isContent) this.#byName(place.path, mayWrite)
        if (isContent && place.isPresent) await this.#byFile(place.path)
        if (isRead && (await this.#isUnending(place.path))) this.#add('unparsed', text)
      }
      this.#paths.add(posix.normalize(path))
    }
  }

  #absolute(path: string): string {
    return isAbsolutePath(path) ? path : `${this.#root}/${path}`
  }

  /** Returns the paths that a text may mean: relative to the root or absolute, not normalised. */
  #from(text: string): string[] | null {
    const paths = this.#places.resolve(text)
    const isHere = this.#folder === '' || this.#folder === '.'
    return paths?.map((path) => (isAbsolutePath(path) || isHere ? path : `${this.#folder}/${path}`)) ?? null
  }

  #byName(path: string, mayWrite: boolean): void {
    const { kinds } = this.#deps
    if (kinds.isSecret(path)) this.#add('secret', path)
    if (!mayWrite) return
    if (kinds.isProtected(path) || kinds.hasKeys(path)) this.#add('protected', path)
    if (kinds.isCi(path)) this.#add('ci', path)
  }

  #add(code: RiskReason['code'], detail: string): void {
    this.#reasons.push({ code, detail })
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
