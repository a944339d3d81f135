import { type ExecFileException, execFile } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { readRegularFile } from '../../../platform/files/read-regular-file.ts'
import { isInside } from '../../../platform/files/real-path.ts'
import { memoryLimited, notExecutable, notFound } from '../../../platform/node/memory-limited.ts'
import { wordSet } from '../../shell/parsing/text-scan.ts'
import type { GitCommand } from '../../shell/programs/git-command.ts'
import { type GitConfiguration, hardenedWords, readOnlyEnvironment } from '../../shell/read-only-run.ts'
import type { ProcessEnv } from './clean-environment.ts'
import { hasKey } from './key-shapes.ts'

/** Subcommands that print the content of files or messages. */
const printing = wordSet('show log diff grep blame cat-file remote stash reflog tag branch shortlog rev-list')
/** Subcommands whose output counts as content of files, whatever it looks like. */
const printingFiles = new Set(['show', 'diff', 'grep', 'blame', 'cat-file'])
/** Options that choose commits by the content of their files, so that a name reveals content. */
const choosing = new Set(['S', 'G', 'L', 'find-object', 'pickaxe-regex', 'pickaxe-all'])
/** Options with which contents, or output that depends on them, are printed without a header for each file. */
const headerless = new Set(['check', 'name-only', 'name-status', 'no-patch', 'quiet', 's', 'q'])
/** Options that show the objects of references, which may be the content of a file. */
const byReference = new Set(['all', 'tags', 'branches', 'remotes', 'glob'])
const limitBytes = 8_000_000
const limitMs = 5000

type GitSecretsDeps = {
  /** The real path of the folder that must not be left. */
  root: string
  cwd: string
  env: ProcessEnv
  configuration: GitConfiguration
  isSecret(path: string): boolean
  /** Takes an absolute path: also true where the file is a secret under another name. */
  isSecretFile(path: string): Promise<boolean>
}

/**
 * Returns the secrets that git would print: files that are secrets in any revision, files outside of the folder, keys
 * by their shape, and contents without a name to judge them by. Each git command is run by itself, in each folder that
 * it may run in, so that no later part of the line hides a name.
 */
export async function gitSecrets(
  deps: GitSecretsDeps,
  commands: readonly GitCommand[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const command of commands) {
    const name = command.subcommand?.raw ?? ''
    const places = command.subcommand === null ? [] : (command.places ?? [null])
    for (const place of places) {
      const hit = place === null ? `git ${name}` : await hitIn(deps, command, name, resolve(deps.cwd, place))
      if (hit === null) continue
      found.push(hit)
      break
    }
  }
  return found
}

async function hitIn(
  { cwd: _start, ...deps }: GitSecretsDeps,
  command: GitCommand,
  name: string,
  cwd: string,
): Promise<string | null> {
  // A `cd` to something that is not a folder fails, so git does not run there.
  if ((await stat(cwd).catch(() => null))?.isDirectory() !== true) return null
  const here = { ...deps, cwd }
  try {
    const place = await gitPlace(deps.root, (...words) => textOf(here, [...globalWords(command), ...words]))
    if (place === 'elsewhere') return `git ${name}`
    return printing.has(name) ? await secretOf({ ...here, place }, command, name) : null
  } catch (error) {
    if (error instanceof Unsure) return `git ${name}`
    throw error
  }
}

type Scan = GitSecretsDeps & { place: GitPlace }

async function secretOf(deps: Scan, command: GitCommand, name: string): Promise<string | null> {
  const nameless = await namelessObject(deps, command)
  if (nameless !== null) return nameless
  if (name === 'grep') {
    const listed = await textOf(deps, hardenedWords(command, ['-l', '-z']))
    const from = resolve(deps.cwd, ...command.folders)
    for (const path of listed.split(/[\0\n]/)) if (await isSecretName(deps, path, from)) return path
  }
  if (command.options.some((option) => choosing.has(option) || option === 'check')) {
    const whole = withHeaders(command)
    if (whole === null) return `git ${name}`
    const chosen = await secretIn(deps, await textOf(deps, hardenedWords(whole, ['-p'])))
    if (chosen !== null) return chosen
  }
  const { text, isCut, isLate } = await outputOf(deps, hardenedWords(command, []))
  const secret = await secretIn(deps, text)
  if (secret !== null) return secret
  // Cut output is not certain where it has files; where the time limit cut it, files may follow.
  const hasFiles = isLate || printingFiles.has(name) || /^.{0,200}diff --/m.test(text)
  return isCut && hasFiles ? `git ${name}` : null
}

async function secretIn(deps: Scan, text: string): Promise<string | null> {
  for (const line of text.split('\n')) {
    // Text in an encoding of two bytes has a NUL in each letter.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    const plain = line.replace(/\u001b\[[0-9;]*m|\0/g, '')
    const header = /diff --(?:git|cc|combined) (.+)/.exec(plain)?.[1]
    const side = /(?:^|\s)(?:---|\+\+\+|(?:rename|copy) (?:from|to)) (.+)/.exec(plain)?.[1]
    for (const path of namesIn(header ?? side ?? '')) {
      if (await isSecretName(deps, path, header === undefined ? null : deps.place.top)) return path
    }
    if (header !== undefined && !isWithin(deps.place.prefix, header)) return header
    if (hasKey(plain)) return plain.slice(0, 20)
  }
  return null
}

/** Removes options that hide the headers of files; null where such an option is in one word with others. */
function withHeaders(command: GitCommand): GitCommand | null {
  const isHiding = ({ value }: GitCommand['words'][number]): boolean => {
    const option = /^--?([a-z-]+)$/.exec(value ?? '')?.[1]
    return option !== undefined && headerless.has(option)
  }
  const words = command.words.filter((word) => !isHiding(word))
  const left = command.options.filter((option) => headerless.has(option)).length
  return command.words.length - words.length === left ? { ...command, words } : null
}

/** Returns all texts that may be names in a header of git, where names, which may have spaces, are split by spaces. */
function namesIn(header: string): readonly string[] {
  const names = [header, ...header.split(/[ \t"]/)]
  // Both sides have the same name, or one side begins where git puts its letter.
  const half = (header.length - 1) / 2
  if (header[half] === ' ') names.push(header.slice(0, half), header.slice(half + 1))
  for (const { index } of header.matchAll(/ (?="?[a-z]\/)/g)) {
    names.push(header.slice(0, index), header.slice(index + 1))
  }
  return [...new Set(names.map((name) => /^"?(.*[^\s"])/s.exec(name)?.[1] ?? ''))]
}

/** True where both sides of a header lie in the folder, whose path from the top of the repository is `prefix`. */
function isWithin(prefix: string, header: string): boolean {
  if (prefix === '') return true
  const sides = header.replace(/^"?[a-z]\//, '').split(/ "?[a-z]\//)
  return sides.every((side) => side.startsWith(prefix))
}

/** Tests a name with and without its prefix for a side or a revision; `from` is the folder that its file may be in. */
async function isSecretName(deps: Scan, path: string, from: string | null): Promise<boolean> {
  const texts = [path, path.replace(/^[a-z]\//, ''), path.slice(path.indexOf(':') + 1)]
  for (const text of texts.filter((each) => each !== '')) {
    if (deps.isSecret(text) || (from !== null && (await deps.isSecretFile(resolve(from, text))))) return true
  }
  return false
}

function globalWords({ words, subcommand }: GitCommand): string[] {
  const at = subcommand === null ? words.length : words.indexOf(subcommand)
  return words.slice(1, at).map(({ value }) => value ?? '')
}

/** Returns the first object that is given by its id alone and is the content of a file that is not known. */
async function namelessObject(deps: Scan, command: GitCommand): Promise<string | null> {
  const { words, subcommand } = command
  if (subcommand?.raw === 'show' && command.options.some((option) => byReference.has(option))) {
    const kinds = ['for-each-ref', '--format=%(objecttype) %(*objecttype)']
    if (/\bblob\b/.test(await textOf(deps, [...globalWords(command), ...kinds]))) return 'git show'
  }
  const at = subcommand === null ? words.length : words.indexOf(subcommand) + 1
  const given = words.slice(at).map(({ value }) => value ?? '')
  // A colon is followed by a path from the top of the repository.
  const outer = given.find((text) => !isWithin(deps.place.prefix, pathInRevision(text) ?? deps.place.prefix))
  if (outer !== undefined) return outer
  const named = given
    .filter((text) => text !== '' && !text.startsWith('-') && !/[:\s]/.test(text))
    .flatMap((text) => text.replace(/^\^/, '').split(/\.{2,3}/))
    .filter((text) => text !== '')
  for (const text of named.slice(0, 50)) {
    const kind = await textOf(deps, [...globalWords(command), 'cat-file', '-t', `${text}^{}`])
    if (kind.trim() === 'blob') return text
  }
  return named.length > 50 ? `${named.length}` : null
}

/** Returns the path after a revision; null where there is none, or where it is relative to the folder. */
function pathInRevision(text: string): string | null {
  const at = text.indexOf(':')
  if (text.startsWith('-') || at < 1 || /\s/.test(text.slice(0, at))) return null
  const path = text.slice(at + 1)
  return path.startsWith('.') ? null : path
}

/** Returns all that git prints. Errors: `Unsure` where that is too much, or takes too long. */
async function textOf(deps: GitSecretsDeps, words: readonly string[]): Promise<string> {
  const { text, isCut } = await outputOf(deps, words)
  if (isCut) throw new Unsure()
  return text
}

class Unsure extends Error {}

/** Returns what git prints, also where it fails; cut where it is too much or takes too long. */
function outputOf(
  { cwd, env, configuration }: GitSecretsDeps,
  words: readonly string[],
): Promise<{ text: string; isCut: boolean; isLate: boolean }> {
  const given = { ...readOnlyEnvironment(env, configuration), GIT_LITERAL_PATHSPECS: '1' }
  const limits = {
    timeout: limitMs,
    maxBuffer: limitBytes,
    encoding: 'latin1',
    killSignal: 'SIGKILL',
  } as const
  const [program, before] = memoryLimited('git')
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...before, ...words],
      { cwd, env: given, ...limits, windowsHide: true },
      (error, stdout, stderr) => {
        const isCut = error !== null && !hasEndedByItself(error, stderr)
        const isLate = isCut && error.code !== 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
        resolve({ text: Buffer.from(stdout, 'latin1').toString('utf8'), isCut, isLate })
      },
    )
    child.stdin?.end()
  })
}

/** True where git ended with an exit code; false where it did not start, was ended, or ran out of memory. */
function hasEndedByItself({ killed, signal, code }: ExecFileException, stderr: string): boolean {
  if (killed === true || signal || typeof code !== 'number') return false
  return code !== notFound && code !== notExecutable && !/memory|mmap/i.test(stderr)
}

/**
 * The place where a git command reads, relative to the folder that must not be left.
 *
 * Shape: `top` is the top of the work tree, the folder itself where there is none. `prefix` is the folder's path from
 * there, '' or ending in `/`.
 */
type GitPlace = { top: string; prefix: string }

/** Maximum size of a file of git that holds one path and nothing else. */
const limitPathBytes = 65_536

/**
 * Finds the repository of a git command. `textOf` runs git with the words before the command's subcommand, and others.
 *
 * Shape: `'elsewhere'` where its work tree is neither in the folder nor around it, or where the repository lies
 * outside and is not configured for this work tree.
 */
async function gitPlace(
  root: string,
  textOf: (...words: string[]) => Promise<string>,
): Promise<GitPlace | 'elsewhere'> {
  const found = await textOf('rev-parse', '--absolute-git-dir', '--is-inside-work-tree', '--show-toplevel')
  // Git ends after the second line where there is no work tree. A place with a line break in its name has another form.
  const [, gitDir = '', given = ''] = /^(.+)\n(?:true|false)\n(?:(.+)\n)?$/.exec(found) ?? []
  if (found !== '' && gitDir === '') throw new Unsure()
  const inner = await realOf(root)
  const home = gitDir === '' ? null : await realOf(gitDir)
  if (home === null || inner === null) return { top: root, prefix: '' }
  const top = given === '' ? inner : await realOf(given)
  if (top === null) return 'elsewhere'
  const isAround = isInside(top, inner)
  if (!isAround && !isInside(inner, top)) return 'elsewhere'
  if (!isInside(top, home) && !isInside(inner, home) && !(await knows(home, top, textOf))) return 'elsewhere'
  const below = isAround ? relative(top, inner).split(sep).join('/') : ''
  return { top, prefix: below === '' ? '' : `${below}/` }
}

/** True where the repository itself names this work tree as one of its own: as a linked one, or as a submodule. */
async function knows(
  home: string,
  top: string,
  textOf: (...words: string[]) => Promise<string>,
): Promise<boolean> {
  try {
    const link = (await readRegularFile(`${home}/gitdir`, limitPathBytes)).toString('utf8').trim()
    return (await realOf(link)) === (await realOf(`${top}/.git`))
  } catch {
    return (await textOf('config', '--local', 'core.worktree')).trim() !== ''
  }
}

const realOf = (path: string): Promise<string | null> => realpath(path).catch(() => null)
