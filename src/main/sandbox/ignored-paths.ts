import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Which paths are named by the ignore files of a folder, as they lie there now, and not tracked by Git.
 *
 * Shape: paths relative to `root`; a folder ends in `/`. Without Git nothing is ignored. `environment` must name no
 * programs of the folder.
 */
export async function ignoredPaths(options: {
  root: string
  paths: readonly string[]
  environment: Readonly<Record<string, string>>
  /** Where an empty repository is kept, for folders that are none. */
  dataDir: string
}): Promise<Set<string>> {
  const { root, paths, environment, dataDir } = options
  if (paths.length === 0) return new Set()
  const input = `${paths.join('\0')}\0`
  const git = (args: string[], text: string) => runGit([...safe, ...args], text, root, environment)
  const own = await git(['check-ignore', '-z', '--stdin'], input)
  if (own === null) return new Set()
  if (own.code !== 128) return new Set(own.output.split('\0').filter((path) => path !== ''))
  const empty = join(dataDir, 'sandbox', 'no-repository')
  await mkdir(empty, { recursive: true, mode: 0o700 })
  await git(['init', '-q', '--bare', '--template=', empty], '')
  const all = await git(
    [`--git-dir=${empty}`, `--work-tree=${root}`, 'check-ignore', '--no-index', '-z', '--stdin'],
    input,
  )
  return new Set((all?.output ?? '').split('\0').filter((path) => path !== ''))
}

/** Nothing that the folder configures is run. */
const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']

type Ended = { code: number | null; output: string }

/** Null where there is no Git. */
function runGit(
  args: readonly string[],
  input: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<Ended | null> {
  const { promise, resolve } = Promise.withResolvers<Ended | null>()
  const child = spawn('git', args, {
    cwd,
    env: { ...environment, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.once('error', () => resolve(null))
  child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return promise
}
