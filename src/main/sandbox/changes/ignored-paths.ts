import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryLimited, notExecutable, notFound } from '../../platform/node/memory-limited.ts'

/**
 * Returns the paths that are named by the present ignore files of a folder and not tracked by Git.
 *
 * Shape: paths relative to `root`; a folder ends in `/`. Without Git nothing is ignored. `environment` must name no
 * programs of the folder.
 */
export async function ignoredPaths(options: {
  root: string
  paths: readonly string[]
  environment: Readonly<Record<string, string>>
  /** The place of an empty repository, which stands for that of a folder without one. */
  dataDir: string
  /** Time limit of each run of Git. Tests shorten it. */
  limitMs?: number
}): Promise<Set<string>> {
  const { root, paths, environment, dataDir, limitMs = usualLimitMs } = options
  if (paths.length === 0) return new Set()
  const git = (args: string[], text: string) =>
    runGit([...safe, ...args], text, { root, environment, limitMs })
  const place = await git(['rev-parse', '--git-dir'], '')
  if (place === null) return new Set()
  if (place.code === 0) return namedBy((text) => git(checkIgnore, text), paths)
  const empty = join(dataDir, 'sandbox', 'no-repository')
  await mkdir(empty, { recursive: true, mode: 0o700 })
  if (!existsSync(join(empty, 'HEAD'))) await git(['init', '-q', '--bare', '--template=', empty], '')
  const anywhere = [`--git-dir=${empty}`, `--work-tree=${root}`, ...checkIgnore, '--no-index']
  return namedBy((text) => git(anywhere, text), paths)
}

/** Git answers this with four fields for each path, the first of them empty where no pattern names it. */
const checkIgnore = ['check-ignore', '-z', '--stdin', '--verbose', '--non-matching']
const fieldsOfAnswer = 4
const mostRefused = 50
/**
 * Asks Git about paths written as `./path`, since Git interprets a colon at the beginning of a path.
 *
 * Git ends at a path behind a link or in a submodule. After `mostRefused` of these the rest counts as not ignored.
 */
async function namedBy(
  ask: (input: string) => Promise<Ended | null>,
  paths: readonly string[],
): Promise<Set<string>> {
  const ignored = new Set<string>()
  let from = 0
  for (let refused = 0; refused <= mostRefused && from < paths.length; refused++) {
    const ended = await ask(
      paths
        .slice(from)
        .map((path) => `./${path}\0`)
        .join(''),
    )
    const fields = (ended?.output ?? '').split('\0').slice(0, -1)
    for (let at = 0; at + fieldsOfAnswer <= fields.length; at += fieldsOfAnswer) {
      const [source = '', , pattern = '', path = ''] = fields.slice(at, at + fieldsOfAnswer)
      if (source !== '' && !pattern.startsWith('!')) ignored.add(path.slice('./'.length))
      from++
    }
    if (ended === null || ended.code !== failed) break
    from++
  }
  return ignored
}

/** Git's exit code of a fatal error. */
const failed = 128

/** Options that keep Git from running programs that the folder configures. */
const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']

/** Time limit, since an ignore file may be a pipe or endless; paths without an answer count as not ignored. */
const usualLimitMs = 20_000

type Ended = { code: number | null; output: string }

/** Runs Git; null where there is none. */
function runGit(
  args: readonly string[],
  input: string,
  where: { root: string; environment: Readonly<Record<string, string>>; limitMs: number },
): Promise<Ended | null> {
  const { promise, resolve } = Promise.withResolvers<Ended | null>()
  const [program, before] = memoryLimited('git')
  const child = spawn(program, [...before, ...args], {
    cwd: where.root,
    timeout: where.limitMs,
    killSignal: 'SIGKILL',
    env: { ...where.environment, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.once('error', () => resolve(null))
  child.once('close', (code) => {
    const output = Buffer.concat(chunks).toString('utf8')
    resolve(code === notFound || code === notExecutable ? null : { code, output })
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return promise
}
