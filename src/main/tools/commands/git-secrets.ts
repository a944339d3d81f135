import { execFile } from 'node:child_process'
import type { GitCommand } from '../shell/git-command.ts'
import type { GitConfiguration } from '../shell/git-configuration.ts'
import { hardenedWords, readOnlyEnvironment } from '../shell/read-only-run.ts'
import type { ProcessEnv } from './clean-environment.ts'

/** Subcommands that print what files or messages hold. */
const printing = new Set(['show', 'log', 'diff', 'grep', 'blame', 'cat-file', 'remote', 'stash', 'reflog'])
/** What they print is the content of files, whatever it looks like. */
const printingFiles = new Set(['show', 'diff', 'grep', 'blame', 'cat-file'])
const limitBytes = 8_000_000
const limitMs = 5000

/** Keys by their shape, private keys, and words of sign-in in an address. */
const keyShapes = [
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}/,
  /\bglpat-[\w-]{20,}|\bnpm_[A-Za-z0-9]{36}|\bhf_[A-Za-z0-9]{30,}|\bxox[abprs]-[\w-]{10,}/,
  /\bsk-[\w-]{20,}|\b[rs]k_live_[A-Za-z0-9]{16,}|\bAIza[\w-]{35}/,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\./,
  /:\/\/[^\s/:@]+:[^\s/:@]+@/,
]

export type GitSecretsDeps = {
  cwd: string
  env: ProcessEnv
  configuration: GitConfiguration
  isSecret(path: string): boolean
}

/**
 * What git would print that nobody should read by accident: files that are secrets by their name in any revision,
 * keys by their shape, and contents without a name that could be judged. Each use of git is run by itself, so that
 * nothing behind it in the line hides a name.
 */
export async function gitSecrets(
  deps: GitSecretsDeps,
  commands: readonly GitCommand[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const command of commands) {
    const name = command.subcommand?.raw ?? ''
    if (!printing.has(name)) continue
    const hit =
      command.hasMoved && printingFiles.has(name) ? `git ${name}` : await secretOf(deps, command, name)
    if (hit !== null) found.push(hit)
  }
  return found
}

async function secretOf(deps: GitSecretsDeps, command: GitCommand, name: string): Promise<string | null> {
  const nameless = await namelessObject(deps, command)
  if (nameless !== null) return nameless
  if (name === 'grep') {
    const listed = await outputOf(deps, hardenedWords(command, ['-l', '-z']))
    const secret = listed.text.split('\0').find((path) => isSecretName(deps, path))
    if (secret !== undefined) return secret
  }
  const { text, isCut } = await outputOf(deps, hardenedWords(command, []))
  const secret = secretIn(deps, text)
  if (secret !== null) return secret
  // Too much to be sure, where files are in it.
  const hasFiles = printingFiles.has(name) || /^.{0,200}diff --/m.test(text)
  return isCut && hasFiles ? `git ${name}` : null
}

function secretIn(deps: GitSecretsDeps, text: string): string | null {
  for (const line of text.split('\n')) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    const plain = line.replace(/\u001b\[[0-9;]*m/g, '')
    const names = /diff --(?:git|cc|combined) (.+)|(?:^|\s)(?:---|\+\+\+) (.+)/.exec(plain)
    const secret = (names?.[1] ?? names?.[2] ?? '').split(/[ \t"]/).find((path) => isSecretName(deps, path))
    if (secret !== undefined) return secret
    if (keyShapes.some((shape) => shape.test(plain))) return plain.slice(0, 20)
  }
  return null
}

/** With and without what stands for the side or the revision in front of it. */
function isSecretName({ isSecret }: GitSecretsDeps, path: string): boolean {
  const texts = [path, path.replace(/^[a-z]\//, ''), path.slice(path.indexOf(':') + 1)]
  return texts.some((text) => text !== '' && isSecret(text))
}

/** The first object that is a file's content by its number alone: nobody knows of which file. */
async function namelessObject(
  deps: GitSecretsDeps,
  { words, subcommand }: GitCommand,
): Promise<string | null> {
  const at = subcommand === null ? words.length : words.indexOf(subcommand) + 1
  const named = words
    .slice(at)
    .map(({ value }) => value ?? '')
    .filter((text) => text !== '' && !text.startsWith('-') && !/[:\s]/.test(text))
    .flatMap((text) => text.replace(/^\^/, '').split(/\.{2,3}/))
    .filter((text) => text !== '')
  const global = words.slice(1, Math.max(1, at - 1)).map(({ value }) => value ?? '')
  for (const text of named.slice(0, 50)) {
    const { text: kind } = await outputOf(deps, [...global, 'cat-file', '-t', `${text}^{}`])
    if (kind.trim() === 'blob') return text
  }
  return named.length > 50 ? `${named.length}` : null
}

/** What git prints, also where it ends otherwise than well; cut where it is too much or takes too long. */
function outputOf(
  { cwd, env, configuration }: GitSecretsDeps,
  words: readonly string[],
): Promise<{ text: string; isCut: boolean }> {
  const given = { ...readOnlyEnvironment(env, configuration), GIT_LITERAL_PATHSPECS: '1' }
  const limits = {
    timeout: limitMs,
    maxBuffer: limitBytes,
    encoding: 'latin1' as const,
    killSignal: 'SIGKILL' as const,
  }
  return new Promise((resolve) => {
    const child = execFile(
      'git',
      [...words],
      { cwd, env: given, ...limits, windowsHide: true },
      (error, stdout) => {
        const isCut =
          error !== null && (error.killed === true || error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
        resolve({ text: Buffer.from(stdout, 'latin1').toString('utf8'), isCut })
      },
    )
    child.stdin?.end()
  })
}
