import { execFile, spawnSync } from 'node:child_process'
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
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { assessCommand, folderView } from '../../src/main/gates/risk/command-assessment.ts'
import { secretFiles } from '../../src/main/gates/risk/secret-files.ts'
import { nodeDisk } from '../../src/main/platform/files/disk.ts'
import { gitSecrets } from '../../src/main/tools/commands/environment/git-secrets.ts'
import {
  gitConfigurationIn,
  type HardenedCommand,
  hardenCommand,
} from '../../src/main/tools/commands/read-only-command.ts'
import { CommandRules } from '../../src/main/tools/shell/command-rule.ts'
import { literalLine } from '../../src/main/tools/shell/literal-line.ts'
import { isRefusal } from '../../src/main/tools/shell/programs/read-options.ts'
import { gateData } from '../fakes/gate-rig.ts'
import { seededRandom } from '../fakes/seeded-random.ts'
import { toolParts } from '../fakes/tool-rig.ts'
import { wallsSoak } from '../fakes/walls-soak.ts'

/** `TSUGI_SOAK` plays three fifths of its cases as lines; each line that counts as harmless is really run. */
const isSoak = wallsSoak > 0
/** Of each of three grammars. */
const count = isSoak ? Math.round(wallsSoak * 0.2) : 120
const firstSeed = 10 * (Number(process.env.TSUGI_SEED ?? 1) - 1)

const { kinds, lists } = await gateData()
const { shellCheck: shell } = await toolParts()
const rules = CommandRules.parse(
  JSON.parse(readFileSync(new URL('../../resources/shell/commands.json', import.meta.url), 'utf8')),
)
const outer = realpathSync(mkdtempSync(join(tmpdir(), 'walls-')))
const root = join(outer, 'project')
afterAll(() => rmSync(outer, { recursive: true, force: true }))

/** In every file and name that no line may show without a question. */
const secret = 'WALLS-SECRET'
const outside = 'WALLS-OUTSIDE'
const outsideText = 'WALLS-ELSEWHERE'

const git = (...args: string[]) =>
  spawnSync('git', ['-c', 'user.email=a@example.com', '-c', 'user.name=a', ...args], {
    cwd: root,
    encoding: 'utf8',
  }).stdout.trim()

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

mkdirSync(root)
git('init', '-q')
write('a.txt', 'one\n')
write('b c.md', 'two\n')
write('src/x.ts', 'three\n')
write('deploy.key', `KEY=${secret}\n`)
git('add', '-A')
git('commit', '-qm', 'one')
const blob = git('rev-parse', 'HEAD:deploy.key')
git('rm', '-q', 'deploy.key')
git('commit', '-qm', 'two')
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
linkSync(join(root, '.env'), join(root, 'other.txt'))
symlinkSync('.env', join(root, 'link.txt'))
writeFileSync(join(outer, `${outside}.txt`), `${outsideText}\n`)
symlinkSync(outer, join(root, 'out'))
write('-n', 'an option\n')
write('[a]', 'a set\n')

/** Every name with its size, times of changing included, git's own files too. */
function state(): string {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  return names
    .map((name) => {
      const stats = lstatSync(join(root, name))
      return `${name} ${stats.size} ${stats.isDirectory() ? '' : stats.mtimeMs} ${stats.isFile() ? readFileSync(join(root, name)).length : ''}`
    })
    .join('\n')
}

const view = folderView(nodeDisk, root, '.')
const configurationHere = gitConfigurationIn(root, process.env)
/** Stands behind what each line of a group says. */
const end = '[end of a line 1f6a0c]'
const groupSize = 40
/** Lines that are judged at the same time. */
const width = 4

/** The line as it would run without a question; null where one would be asked. */
async function judged(source: string): Promise<HardenedCommand | null> {
  const line = await shell.read(source)
  const reads = shell.readOnly(line)
  if (isRefusal(reads)) return null
  const literal = await literalLine(shell, line, view)
  const command = { line: source, folder: '.', isReadOnly: true, literal }
  const look = await assessCommand({ shell, disk: nodeDisk, kinds, lists }, root, command)
  if (!look.isReadOnly || look.reasons.length > 0 || literal === null) return null
  if (reads.gitCommands.length > 0) {
    const configuration = await configurationHere
    if (isRefusal(shell.readOnly(line, configuration))) return null
    const isSecretFile = secretFiles(nodeDisk, kinds, root)
    const deps = { root, cwd: root, env: process.env, configuration, isSecret: kinds.isSecret, isSecretFile }
    if ((await gitSecrets(deps, reads.gitCommands)).length > 0) return null
  }
  return hardenCommand(shell, { line: literal, cwd: root, env: process.env, isLiteral: true })
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Runs each line in a shell of its own and returns what each says; one process of ours starts them all. */
async function outputsOf(lines: readonly HardenedCommand[]): Promise<string[]> {
  const outputs = new Map<HardenedCommand, string>()
  for (const same of Map.groupBy(lines, ({ env }) => JSON.stringify(env)).values()) {
    // On its standard input: `ps` shows what stands in the words of a process.
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

/** What a line says that is run without a question; null where one would be asked. */
async function shown(source: string): Promise<string | null> {
  const line = await judged(source)
  return line === null ? null : ((await outputsOf([line]))[0] ?? '')
}

function choose<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

function* made(seed: number, make: (random: () => number) => string): Generator<string> {
  const random = seededRandom(seed)
  for (let each = 0; each < count; each++) yield make(random)
}

/** Letters of the names that matter, each written in one of the ways that shells know. */
function globLine(random: () => number): string {
  const names = [
    '.env',
    '.env~',
    'other.txt',
    'link.txt',
    `../${outside}.txt`,
    `out/${outside}.txt`,
    '*',
    'a.txt',
    'b c.md',
    '-n',
    '[a]',
    'vendor/.env',
    '../*',
    '~/../*',
  ]
  const spell = (char: string): string => {
    const forms = [
      char,
      char,
      char,
      char,
      char,
      '?',
      '*',
      `[${char}]`,
      `[[:alpha:]]`,
      `[[=${char}=]]`,
      `[[.${char}.]]`,
      `[!x]`,
      `[^x]`,
      `[a-z]`,
      `{${char},q}`,
      `\\${char}`,
      `"${char}"`,
      `'${char}'`,
      `@(${char})`,
      `$'${char}'`,
      `[${char}`,
      `[]${char}]`,
      `\${A:-${char}}`,
      '**',
    ]
    return char === ' ' ? '\\ ' : char === '/' ? char : choose(random, forms)
  }
  const name = [...choose(random, names)].map(spell).join('')
  const command = choose(random, [
    'cat',
    'cat',
    'head -1',
    'grep -h .',
    'tac',
    'cut -c1-',
    'nl',
    'echo',
    'ls',
    'wc',
    'stat',
    'grep -rh .',
    'grep -rh . . --include',
    'rg .',
    'sort',
    "printf '%s '",
    'basename',
    'true ; echo',
    'cd src && cat',
    'cat --',
    'cat <',
    'cat <<<',
    'find . -exec grep . {} + -name',
    'find',
    'diff a.txt',
    'du',
    "true '../*'; echo $_",
  ])
  return `${command} ${name}${choose(random, ['', '', '', ' a.txt', ' | cat', ' # end', '; pwd'])}`
}

function gitLine(random: () => number): string {
  const words = [
    'list',
    '--',
    '-q',
    '--all',
    '--al',
    'a.txt',
    '-p',
    'HEAD',
    'HEAD~1',
    'show',
    blob,
    '.',
    'src',
    '-v',
    '--no-index',
    '.env',
    "'?env'",
    "':(icase).EN?'",
    "':(glob)**/*nv'",
    ':/',
    '-h',
    'KEY',
    '-e',
    '-r',
    '--unified',
    `../${outside}.txt`,
    '--cached',
    '--stat',
    'new',
    'push',
    'drop',
    'pop',
    'clear',
    'expire',
    'update',
    '--list',
    '-l',
    '-d',
    '--contains',
    'origin',
    'get-url',
    '-U0',
    '--raw',
    '--no-prefix',
    '-n',
    '1',
    '-S',
    '-c',
    '--output=p',
    '-O',
    '--ext-diff',
    '--submodule=diff',
    `${blob}^{}`,
    'HEAD~1:deploy.key',
    '--word-diff',
    '-L1,1:a.txt',
    '--follow',
    '--untracked',
    '--help',
  ]
  const subcommand = choose(random, [
    'stash',
    'stash',
    'stash list',
    'log',
    'log -p',
    'show',
    'diff',
    'grep',
    'cat-file -p',
    'blame',
    'branch',
    'tag',
    'reflog',
    'remote',
    'worktree',
    'status',
    'ls-files',
    'ls-tree',
    'rev-parse',
    'rev-list',
    'shortlog',
    'describe',
    'check-ignore',
    'merge-base',
  ])
  const front = choose(random, [
    '',
    '',
    '',
    '',
    '-C src ',
    '--no-pager ',
    '-c core.pager=cat ',
    '--literal-pathspecs ',
    '--glob-pathspecs ',
  ])
  const chosen = Array.from({ length: Math.floor(random() * 5) }, () => choose(random, words))
  return `git ${front}${subcommand} ${chosen.join(' ')}${choose(random, ['', '', ' | grep S', ' | tail -1'])}`
}

/** Every command of the rules with any of its options, in every form that an option can be written in. */
function optionLine(random: () => number): string {
  const [name = '', rule] = choose(random, [...rules])
  const values = [
    ...[
      '.env',
      'other.txt',
      'a.txt',
      'recurse',
      'PWNED',
      '1',
      '.',
      'vendor',
      'sh',
      'yaml',
      'all',
      '*',
      '%(raw)',
    ],
    ...['/etc/passwd', `../${outside}.txt`, 'src', '-', 'f,args', 'x=y', '1,2'],
  ]
  const known = [rule.flags, rule.attached, rule.long, rule.values, rule.paths, rule.optional].flatMap(
    (set) => [...set],
  )
  const unknown =
    'o f O T files0-from output compress-program pre textconv ext-diff exec fprint set file e w i'
  const words = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const option = choose(random, random() < 0.8 && known.length > 0 ? known : unknown.split(' '))
    const value = choose(random, values)
    if (option.length === 1)
      return choose(random, [`-${option}`, `-${option}${value}`, `-${option} ${value}`])
    const long = random() < 0.1 ? option.slice(0, -1) : option
    return choose(random, [`--${long}`, `--${long}=${value}`, `--${long} ${value}`, `-${option}`])
  })
  const operands = [
    '.',
    'vendor',
    'unhidden',
    'plain',
    'src',
    'a.txt src',
    'node_modules',
    '.git',
    '.git/config',
    'x a.txt',
  ]
  return `${name} ${words.join(' ')} ${choose(random, ['', '', '.', '1 1', ...operands, "'.' .", 'WALLS', '-- .'])}`
}

describe.skipIf(process.platform === 'win32')('lines that run without a question', () => {
  const before = state()

  /** Plays lines by groups, and returns how many of them ran. */
  async function hold(sources: readonly string[]): Promise<number> {
    let run = 0
    for (let from = 0; from < sources.length; from += groupSize) {
      const group = sources.slice(from, from + groupSize)
      const harmless = await judgedAll(group)
      const outputs = await outputsOf(harmless.map(({ line }) => line))
      for (const [at, { source }] of harmless.entries()) {
        const output = outputs[at] ?? ''
        expect([source, output.includes(secret)]).toEqual([source, false])
        // What a line names itself may come back in an error.
        for (const text of source.includes(outside) ? [outsideText] : [outside, outsideText]) {
          expect([source, output.includes(text)]).toEqual([source, false])
        }
      }
      expect(state(), harmless.map(({ source }) => source).join('\n')).toBe(before)
      run += harmless.length
    }
    return run
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

  it.each([
    ['patterns of the shell', globLine, 1],
    ['forms of git', gitLine, 2],
    ['options of every command', optionLine, 3],
  ] as const)(
    'show nothing secret or outside and change nothing: %s',
    { timeout: isSoak ? 3_600_000 : 240_000 },
    async (_name, make, seed) => {
      const run = await hold([...made(firstSeed + seed, make)])
      if (isSoak) console.log(`${count} lines, ${run} of them ran`)
      expect(run).toBeGreaterThan(count / 50)
    },
  )

  it.each([
    ...[
      'cat .[[:alpha:]]nv',
      'cat .[[=e=]]nv',
      'cat .[[.e.]]nv',
      "git grep --no-index '' -- '?env'",
      'cat other.txt',
      'cat .env~',
    ],
    ...[
      "git grep --no-index '' -- ':(icase).EN?'",
      'git log -p',
      'git show HEAD~1',
      `git cat-file -p ${blob}`,
      `git show ${blob}`,
    ],
    ...[
      'git grep -h KEY HEAD~1',
      'git log -p | grep KEY',
      'grep -r . vendor',
      'find . -exec grep . {} +',
      'rg . -g .env',
    ],
    ...[
      "rg '-uuu' .",
      'echo ~/../*/.*',
      'echo ../../*',
      'ls -LR',
      'git diff --no-index --unified /etc/passwd a.txt',
    ],
    ...[
      'grep -d recurse WALLS',
      'grep -drecurse .',
      'diff -N . vendor',
      'diff plain/a.txt src',
      'rg . unhidden',
    ],
    ...[
      'cat .git/config',
      'grep -r . .git',
      'rg --hidden . .git',
      'grep -r . node_modules',
      'rg . node_modules',
    ],
    ...[
      "git tag -l --format='%(raw)'",
      'git log -S WALLS --oneline',
      'git grep -q KEY HEAD~1',
      'git remote -v',
    ],
    ...[
      'git show --tags',
      'cat /usr/bin/env',
      'rg -t yaml .',
      'rg -u WALLS',
      'cd src && git show HEAD~1',
      'cd src && git log -p',
    ],
    ...[
      "grep -r --include='*' WALLS .",
      "grep -r --include='*.txt' . .",
      "grep -r --include='*.ts' --exclude=x . .",
      "grep -r --include='*.ts' --include='.en?' . .",
      "grep -r --include='*.t[s]' . .",
      'find . -name vendor -exec grep -r . {} +',
      'find . -name vendor -exec rg -uu . {} +',
      "find . -name '*.ts' -o -name .env -exec grep . {} +",
      "find . -not -name '*.ts' -exec grep . {} +",
      "find . -name '.en?' -exec grep . {} +",
      "find . -exec grep . {} + -name '*.ts'",
      "find . -name '*.txt' -exec grep . {} \\;",
      "find . -name '*.ts' -exec grep -f .env . {} +",
    ],
  ])('asks: %s', async (source) => expect(await shown(source)).toBeNull())

  it('writes out what it understands, as the shell would', async () => {
    expect(await shown('echo *.txt')).toBe('a.txt link.txt other.txt\n')
    expect(await shown('cat src/[w-z].ts')).toBe('three\n')
    expect(await shown('cat b*.md')).toBe('two\n')
    expect(await shown('cd src && cat *.ts')).toBe('three\n')
    expect(await shown('echo {1..3} a{b,c} $((1+2)) # end')).toBe('1 2 3 ab ac 3\n')
    expect(await shown('echo [a] q*')).toBe('[a] q*\n')
    expect(await shown("true '../*'; echo $_")).toBe('../*\n')
    expect(await shown('git shortlog -sn')).toContain('a')
  })

  it('runs a search of a whole folder that reads only files with harmless names', async () => {
    expect(await shown("grep -rh --include='*.ts' . .")).toBe('three\n')
    expect(await shown('grep -rh --include=*.ts --exclude-dir=node_modules . .')).toBe('three\n')
    expect(await shown("find . -type f -name '*.ts' -exec grep -h . {} +")).toBe('three\n')
    expect(await shown("find . -name 'x.t?' -exec grep -h . {} \\;")).toBe('three\n')
  })
})
