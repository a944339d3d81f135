import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { CommandRules, GitRules } from '../../../src/main/tools/shell/command-rule.ts'
import { placeOnDisk } from '../../fakes/disks/on-disk.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { wallsSoak } from '../../fakes/walls-soak.ts'
import { awkLine } from '../support/awk-lines.ts'
import { createCommandWalls, elsewhere, outside, secret } from '../support/command-walls.ts'

placeOnDisk()

/** `TSUGI_SOAK` plays three fifths of its cases as lines; each line that counts as harmless is really run. */
const isSoak = wallsSoak > 0
/** Number of lines from each of six grammars. */
const count = isSoak ? Math.round(wallsSoak * 0.1) : 24
const firstSeed = 10 * (Number(process.env.TSUGI_SEED ?? 1) - 1)

const rules = CommandRules.parse(
  JSON.parse(readFileSync(new URL('../../../resources/shell/commands.json', import.meta.url), 'utf8')),
)
const gitRules = GitRules.parse(
  JSON.parse(readFileSync(new URL('../../../resources/shell/git.json', import.meta.url), 'utf8')),
)
const walls = await createCommandWalls()
const { blob, hold, shown } = walls
afterAll(() => walls.close())

function choose<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

function* made(seed: number, make: (random: () => number) => string): Generator<string> {
  const random = seededRandom(seed)
  for (let each = 0; each < count; each++) yield make(random)
}

/** Generates lines with secret names whose letters are each written in one of the shell's ways. */
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
    'find plain -exec grep -rh . . {} + -name',
    'find plain -exec rg -uu . . {} + -name',
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
    'japanese',
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

/** Every subcommand of the rules with any of its options, in every order and in every form. */
function gitOptionLine(random: () => number): string {
  const [name = '', rule] = choose(random, [...gitRules])
  const known = [rule.flags, rule.attached, rule.long, rule.values, rule.optional].flatMap((set) => [...set])
  const values = ['new', 'HEAD', '1', 'WALLS', 'a.txt', 'x', 'refname', '%(contents)', 'HEAD~1']
  const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const option = choose(random, known)
    const dashed = option.length === 1 ? `-${option}` : `--${option}`
    const value = choose(random, values)
    return choose(random, [dashed, dashed, `${dashed} ${value}`, `${dashed}=${value}`, `${dashed}${value}`])
  })
  const needed = [...rule.needs, ...rule.operandsNeed].map((option) =>
    option.length === 1 ? `-${option}` : `--${option}`,
  )
  const operands = ['', '', 'new', 'HEAD', 'trailing', 'HEAD new', '-- new', 'HEAD~1 HEAD', `${blob}`, 'src']
  const chosen = [...words, ...(random() < 0.6 ? [choose(random, ['', ...needed])] : [])]
  return `git ${name} ${[...rule.firstOperand][0] ?? ''} ${chosen.join(' ')} ${choose(random, operands)}`
}

describe.skipIf(process.platform === 'win32')('lines that run without a question', () => {
  it.each([
    ['patterns of the shell', globLine, 1],
    ['forms of git', gitLine, 2],
    ['options of every command', optionLine, 3],
    ['options of git', gitOptionLine, 6],
    ['programs of awk', awkLine, 5],
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
    ...['git log --encoding=IBM037', 'git log --encoding UTF-16', 'git show --encoding=EBCDIC-US HEAD'],
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
    ...[
      'git log --check',
      'git show --check trailing',
      'git diff --check HEAD trailing',
      'git log --check -p -1 trailing',
    ],
    ...[
      'git log -S WALLS -s --oneline',
      'git log -G WALLS --name-only',
      'git log -S WALLS --name-status --oneline',
    ],
    ...[
      'git diff -G WALLS --name-only trailing',
      'git diff -S WALLS --quiet trailing || echo yes',
      'git log -G WALLS -ws',
    ],
    ...[
      'git log -S WALLS --no-patch',
      'git log -1 --check --format= trailing',
      'git log -G WALLS --check --oneline',
    ],
    ...['git show HEAD~2', 'git show HEAD~2 --no-prefix', 'git log -p HEAD~2', 'git show HEAD~2 -R --color'],
    ...['cat .git/objects/*/*', `grep -ra '' .git/objects`, 'find .git -type f -exec cat {} +'],
    ...['cat bare.git/objects/*/*', 'grep -ra . bare.git', 'rg -a . bare.git', 'diff -ra bare.git plain'],
    ...['cat .svn/pristine/ab/ab12.svn-base', 'grep -rh . .svn', 'find .svn -exec cat {} +'],
    ...['find plain -exec rg -uu WALLS . {} +', 'find plain -exec grep -rh . vendor {} +'],
    ...['find src -exec grep -d recurse WALLS deep {} \\;', 'find plain -exec egrep -hr . .svn {} +'],
    ...['git log -p japanese', 'git show japanese', 'git diff HEAD japanese', 'git show --stat -p japanese'],
    ...['realpath --relative-to=out a.txt', 'realpath --relative-base out a.txt'],
    ...['git diff HEAD~2 HEAD~1 --word-diff', 'git log --cc -1 HEAD~2', 'git log -p --graph -U0 HEAD~2'],
  ])('asks: %s', async (source) => expect(await shown(source)).toBeNull())

  it('asks about every name that tools give to a copy of a secret', async () => {
    const originals = ['.env', 'prod.env', 'deploy.key', 'id_rsa', '.netrc', 'credentials', 'token.json']
    const mark = (name: string, random: () => number): string => {
      const digit = String(Math.floor(random() * 30))
      const [at, rest] = [name.lastIndexOf('.'), name]
      const inside = at > 0 ? `${name.slice(0, at)} (${digit})${name.slice(at)}` : `${rest} (${digit})`
      return choose(random, [
        ...[`${name}~`, `${name}.bak`, `${name}-old`, `${name}_backup`, `${name} copy`, `${name}.txt`],
        ...[`${name}.${digit}`, `${name}-2024-01-${digit}`, `${name} ${digit}`, `Copy of ${name}`],
        ...[`copy_of_${name}`, `#${name}#`, `${name}.orig`, `${name} (${digit})`, `${name}のコピー`, inside],
      ])
    }
    const random = seededRandom(firstSeed + 4)
    const lines: string[] = []
    for (let each = 0; each < count / 2; each++) {
      const original = choose(random, originals)
      const copy = mark(random() < 0.3 ? mark(original, random) : original, random)
      const folder = choose(random, ['copies', 'vendor', 'src'])
      walls.write(`copies/${folder}/${copy}`, `${secret}\n`)
      const path = `'copies/${folder}/${copy}'`
      lines.push(
        choose(random, [
          ...[`cat ${path}`, `head -1 ${path}`, `wc < ${path}`, `grep . ${path}`, `cut -c1- -- ${path}`],
          ...[`git diff --no-index ${path} a.txt`, `sort ${path} | head -1`, `grep -f ${path} a.txt`],
          ...[`cd copies/${folder} && cat '${copy}'`, `grep -r . copies/${folder}`, `awk 1 ${path}`],
        ]),
      )
    }
    expect(await hold(lines)).toBe(0)
  })

  it('asks where contents of a pipe would be taken from whoever else reads it', async () => {
    const lines = [
      ...[
        'cat X',
        'head -1 X',
        'wc < X',
        'grep . X',
        'sort X',
        'diff X a.txt',
        'cmp X a.txt',
        'nl X',
        'awk 1 X',
      ],
      ...[
        'grep -f X a.txt',
        'cat a.txt X',
        'cd pipes && cat pipe',
        'cat pipes/pip?',
        'cat pipes/*',
        'tac < X',
      ],
      ...['sed p X', 'jq . X', 'cut -c1 X', 'uniq X', 'tail X', 'md5sum X', 'git diff --no-index X a.txt'],
    ]
    const read = lines.flatMap((line) =>
      ['pipes/pipe', 'pipes/link'].map((path) => line.replaceAll('X', path)),
    )
    const whole = [
      'find pipes -exec grep . {} +',
      "find . -name 'pip*' -exec grep . {} +",
      'diff pipes plain',
    ]
    for (const line of [...read, ...whole, 'grep -rD read . pipes']) {
      expect([line, await shown(line)]).toEqual([line, null])
    }
    expect(await shown('ls pipes')).toBe('link\npipe\n')
    expect(await shown('find . -type p')).toBe('./pipes/pipe\n')
  })

  it('asks about a key in a message, whatever encoding the folder wants it in', async () => {
    walls.git('commit', '-qm', `key ghp_${'a1'.repeat(20)}`, '--allow-empty')
    walls.git('config', 'i18n.logOutputEncoding', 'IBM037')
    try {
      expect(await shown('git log -1')).toBeNull()
      expect(await shown('git show -s')).toBeNull()
      expect(await shown('git log --oneline HEAD~1')).toContain('two')
    } finally {
      walls.git('config', '--unset', 'i18n.logOutputEncoding')
      walls.git('reset', '-q', '--soft', 'HEAD~1')
    }
  })

  it('shows nothing of a file that the folder names as a list of persons', async () => {
    walls.git('config', 'mailmap.file', `../${outside}.txt`)
    walls.git('config', 'mailmap.blob', 'persons')
    try {
      for (const line of [
        'git log -1',
        'git log -1 --format=%aN',
        'git shortlog -s HEAD',
        'git blame src/x.ts',
      ]) {
        expect([line, (await shown(line))?.includes(elsewhere)]).toEqual([line, false])
      }
    } finally {
      walls.git('config', '--unset', 'mailmap.file')
      walls.git('config', '--unset', 'mailmap.blob')
    }
  })

  it.each(['core.attributesFile', 'diff.orderFile'])(
    'asks where git would read a file without end, and lets it take little memory: %s',
    async (key) => {
      expect(await shown('git log -1 --stat HEAD~1 -- src')).toContain('one')
      walls.git('config', key, '/dev/zero')
      try {
        expect(await shown('git log -1 --stat HEAD~1 -- src')).toBeNull()
      } finally {
        walls.git('config', '--unset', key)
      }
    },
  )

  it('writes out what it understands, as the shell would', async () => {
    expect(await shown('echo *.txt')).toBe('a.txt link.txt other.txt\n')
    expect(await shown('cat src/[w-z].ts')).toBe('three\n')
    expect(await shown('cat b*.md')).toBe('two\n')
    expect(await shown('cd src && cat *.ts')).toBe('three\n')
    expect(await shown('echo {1..3} a{b,c} $((1+2)) # end')).toBe('1 2 3 ab ac 3\n')
    expect(await shown('echo [a] q*')).toBe('[a] q*\n')
    expect(await shown("true '../*'; echo $_")).toBe('../*\n')
    expect(await shown('git shortlog -sn')).toContain('a')
    expect(await shown('git check-ignore -v -n a.txt')).toBe('::\ta.txt\n')
  })

  it('runs a search of a whole folder that reads only files with harmless names', async () => {
    expect(await shown("grep -rh --include='*.ts' . .")).toBe('three\n')
    expect(await shown('grep -rh --include=*.ts --exclude-dir=node_modules . .')).toBe('three\n')
    expect(await shown("find . -type f -name '*.ts' -exec grep -h . {} +")).toBe('three\n')
    expect(await shown("find . -name 'x.t?' -exec grep -h . {} \\;")).toBe('three\n')
  })
})
