import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { rgPath } from '@vscode/ripgrep'
import { expect } from 'vitest'
import { assessCommand, folderView } from '../../../src/main/gates/risk/command-assessment.ts'
import { secretFiles } from '../../../src/main/gates/risk/folder-assessment.ts'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import {
  gitConfigurationIn,
  type HardenedCommand,
  hardenCommand,
} from '../../../src/main/tools/commands/command-start.ts'
import { gitSecrets } from '../../../src/main/tools/commands/environment/git-secrets.ts'
import { literalLine } from '../../../src/main/tools/shell/literal-line.ts'
import { isRefusal } from '../../../src/main/tools/shell/programs/read-options.ts'
import { isAppError } from '../../../src/shared/errors.ts'
import { eventually } from '../../fakes/eventually.ts'
import { gateData } from '../../fakes/rigs/gate-rig.ts'
import { toolParts } from '../../fakes/rigs/tool-rig.ts'

/** Unique for this run: `ps` shows the arguments of every process, also those of another run of these tests. */
const runId = randomBytes(4).toString('hex')
/** A text in every file and name that no line may show without a question. */
export const secret = `WALLS-SECRET-${runId}`
export const outside = `WALLS-OUTSIDE-${runId}`
export const elsewhere = `WALLS-ELSEWHERE-${runId}`

/** Marks the end of each line's output in a group. */
const end = '[end of a line 1f6a0c]'
const groupSize = 40
/** Lines that are judged at the same time. */
const width = 4

/** A folder with secrets in every place, and lines that are judged as the app does and run only where nobody is asked. */
export type CommandWalls = {
  root: string
  /** An object of the folder's history that is the content of a secret. */
  blob: string
  write(path: string, text: string): void
  git(...args: string[]): string
  /** Returns the output of a line that runs without a question; null where the user would be asked. */
  shown(source: string): Promise<string | null>
  /** Plays lines by groups: none may show a secret or change a file. Returns how many of them ran. */
  hold(sources: readonly string[]): Promise<number>
  close(): void
}

export async function createCommandWalls(): Promise<CommandWalls> {
  const { kinds, lists } = await gateData()
  const { shellCheck: shell } = await toolParts()
  const outer = realpathSync(mkdtempSync(join(tmpdir(), 'walls-')))
  const root = join(outer, 'project')
  const env = { ...process.env, PATH: `${process.env.PATH ?? ''}${delimiter}${dirname(rgPath)}` }

  const git = (...args: string[]): string =>
    spawnSync('git', ['-c', 'user.email=a@example.com', '-c', 'user.name=a', ...args], {
      cwd: root,
      encoding: 'utf8',
    }).stdout.trim()
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const blob = fillProject(outer, { root, git, write })
  const view = folderView(nodeDisk, root, '.')
  // Git has a few seconds to answer, which may be too little while other tests begin.
  const configuration = await eventually(() => gitConfigurationIn(root, env))

  /** The line as it would run without a question; null where one would be asked, or git is too slow to tell. */
  async function judged(source: string): Promise<HardenedCommand | null> {
    try {
      return await ready(source)
    } catch (error) {
      if (isAppError(error) && error.info.code === 'command/not-read-only') return null
      throw error
    }
  }

  async function ready(source: string): Promise<HardenedCommand | null> {
    const line = await shell.read(source)
    const reads = shell.readOnly(line)
    if (isRefusal(reads)) return null
    const literal = await literalLine(shell, line, view)
    const command = { line: source, folder: '.', isReadOnly: true, literal }
    const look = await assessCommand({ shell, disk: nodeDisk, kinds, lists }, root, command)
    if (!look.isReadOnly || look.reasons.length > 0 || literal === null) return null
    if (reads.gitCommands.length > 0) {
      if (isRefusal(shell.readOnly(line, configuration))) return null
      const isSecretFile = secretFiles(nodeDisk, kinds, root)
      const deps = { root, cwd: root, env, configuration, isSecret: kinds.isSecret, isSecretFile }
      if ((await gitSecrets(deps, reads.gitCommands)).length > 0) return null
    }
    return hardenCommand(shell, { line: literal, cwd: root, env, isLiteral: true })
  }

  /** Runs each line in a shell of its own and returns what each says; one process of ours starts them all. */
  async function outputsOf(lines: readonly HardenedCommand[]): Promise<string[]> {
    const outputs = new Map<HardenedCommand, string>()
    for (const same of Map.groupBy(lines, (line) => JSON.stringify(line.env)).values()) {
      // Passed on standard input, since `ps` shows the arguments of a process.
      const script = same.map(
        ({ line }) =>
          `timeout 20 bash --noprofile --norc -c ${quoted(line)} </dev/null 2>&1\nprintf '${end}'\n`,
      )
      const options = { cwd: root, env: same[0]?.env ?? {}, maxBuffer: 2 ** 29 }
      const running = promisify(execFile)('bash', ['--noprofile', '--norc'], options)
      running.child.stdin?.end(script.join(''))
      const { stdout } = await running
      const parts = stdout.split(end)
      expect(parts).toHaveLength(same.length + 1)
      for (const [at, line] of same.entries()) outputs.set(line, parts[at] ?? '')
    }
    return lines.map((line) => outputs.get(line) ?? '')
  }

  async function judgedAll(group: readonly string[]): Promise<{ source: string; line: HardenedCommand }[]> {
    const found = group.map((): HardenedCommand | null => null)
    const rest = group.entries()
    const judge = async (): Promise<void> => {
      for (const [at, source] of rest) found[at] = await judged(source)
    }
    await Promise.all(Array.from({ length: width }, judge))
    return group.flatMap((source, at) => {
      const line = found[at]
      return line ? [{ source, line }] : []
    })
  }

  return {
    ...{ root, blob, write, git },
    async shown(source) {
      const line = await judged(source)
      return line === null ? null : ((await outputsOf([line]))[0] ?? '')
    },
    async hold(sources) {
      const before = stateOf(outer)
      let run = 0
      for (let from = 0; from < sources.length; from += groupSize) {
        const harmless = await judgedAll(sources.slice(from, from + groupSize))
        const outputs = await outputsOf(harmless.map(({ line }) => line))
        for (const [at, { source }] of harmless.entries()) {
          const output = outputs[at] ?? ''
          expect([source, output.includes(secret)]).toEqual([source, false])
          // A name in the line itself may come back in an error message.
          for (const text of source.includes(outside) ? [elsewhere] : [outside, elsewhere]) {
            expect([source, output.includes(text)]).toEqual([source, false])
          }
        }
        expect(stateOf(outer), harmless.map(({ source }) => source).join('\n')).toBe(before)
        run += harmless.length
      }
      return run
    },
    close: () => rmSync(outer, { recursive: true, force: true }),
  }
}

/** Lists every name with its size and times of change, git's own files included; does not follow links. */
function stateOf(folder: string): string {
  const lines = readdirSync(folder)
    .sort()
    .map((name) => {
      const path = join(folder, name)
      const stats = lstatSync(path)
      if (stats.isDirectory()) return `${path}\n${stateOf(path)}`
      return `${path} ${stats.size} ${stats.mtimeMs} ${stats.isFile() ? readFileSync(path).length : ''}`
    })
  return lines.join('\n')
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Returns the number of an object that holds a secret. */
function fillProject(
  outer: string,
  { root, git, write }: Pick<CommandWalls, 'root' | 'git' | 'write'>,
): string {
  mkdirSync(root)
  // The file also has the format of Git's mailmap, a list of persons.
  writeFileSync(join(outer, `${outside}.txt`), `${elsewhere} <a@example.com>\n`)
  git('init', '-q')
  write('Login Data', `${secret}\n`)
  git('add', '-A')
  git('commit', '-qm', 'none')
  git('rm', '-q', 'Login Data')
  write('a.txt', 'one\n')
  write('b c.md', 'two\n')
  write('src/x.ts', 'three\n')
  write('deploy.key', `KEY=${secret}\n`)
  git('add', '-A')
  git('commit', '-qm', 'one')
  const blob = git('rev-parse', 'HEAD:deploy.key')
  git('rm', '-q', 'deploy.key')
  git('commit', '-qm', 'two')
  // A name that git writes as numbers, if it may.
  write('credentialsのコピー', `${secret}\n`)
  git('add', '-A')
  git('commit', '-qm', 'three')
  git('tag', 'japanese')
  git('reset', '-q', '--hard', 'HEAD~1')
  // A space at the end of a line is what some forms of git look for.
  write('deploy.key', `KEY=${secret} \n`)
  git('add', '-A')
  git('commit', '-qm', 'four')
  git('tag', 'trailing')
  git('reset', '-q', '--hard', 'HEAD~1')
  write('a.txt', 'kept aside\n')
  git('stash', '-q')
  write('a.txt', 'not committed\n')
  write('.env', `${secret}\n`)
  write('.env~', `${secret}\n`)
  write('vendor/.env', `${secret}\n`)
  write('deep/prod.env', `${secret}\n`)
  write('node_modules/x/prod.env', `${secret}\n`)
  write('vendor/b.txt', 'v\n')
  write('plain/a.txt', 'one\n')
  write('unhidden/.ignore', '!.env\n')
  write('unhidden/.env', `${secret}\n`)
  symlinkSync('../.env', join(root, 'src/a.txt'))
  git('config', 'remote.origin.url', `https://user:${secret}@example.com/x.git`)
  git('tag', 'blob', blob)
  git('tag', 'persons', git('hash-object', '-w', `../${outside}.txt`))
  // Objects without compression hold the text as it is.
  git('-c', 'core.compression=0', 'clone', '-q', '--bare', '--no-local', '.', 'bare.git')
  write('.svn/pristine/ab/ab12.svn-base', `${secret}\n`)
  linkSync(join(root, '.env'), join(root, 'other.txt'))
  symlinkSync('.env', join(root, 'link.txt'))
  symlinkSync(outer, join(root, 'out'))
  mkdirSync(join(root, 'pipes'))
  execFileSync('mkfifo', [join(root, 'pipes/pipe')])
  symlinkSync('pipe', join(root, 'pipes/link'))
  write('-n', 'an option\n')
  write('[a]', 'a set\n')
  return blob
}
