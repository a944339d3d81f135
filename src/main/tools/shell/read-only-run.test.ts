// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are the shell’s
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createShellCheck } from './create-shell-check.ts'
import { isRefusal } from './programs/read-options.ts'
import {
  configurationEnvironment,
  gitConfigurationCommand,
  hardenedLine,
  provenConfiguration,
  readOnlyEnvironment,
} from './read-only-run.ts'

/** True where `TSUGI_SOAK` is set, to run the long series. */
const isSoak = process.env.TSUGI_SOAK !== undefined
const check = await createShellCheck(fileURLToPath(new URL('../../../../resources/', import.meta.url)))
const folder = mkdtempSync(path.join(tmpdir(), 'read-only-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function bash(line: string, cwd: string, env: Record<string, string>) {
  return spawnSync('bash', ['--noprofile', '--norc', '-c', line], {
    cwd,
    env,
    input: '',
    timeout: 5000,
    encoding: 'utf8',
  })
}

describe('the environment of a line that only reads', () => {
  it('keeps the user’s own and drops what could run or redirect', () => {
    const own = {
      HOME: '/h',
      LANG: 'C',
      PATH: '/usr/bin:.::bin:/bin',
      BASH_ENV: 'x',
      'BASH_FUNC_ls%%': '() { x; }',
    }
    const traps = {
      GIT_DIR: 'x',
      LD_PRELOAD: 'x',
      RIPGREP_CONFIG_PATH: 'x',
      POSIXLY_CORRECT: '1',
      CDPATH: '/',
      git_dir: 'x',
    }
    const environment = readOnlyEnvironment({ ...own, ...traps, EMPTY: undefined }, new Map())
    expect(environment).toMatchObject({
      HOME: '/h',
      LANG: 'C',
      PATH: '/usr/bin:/bin',
      GIT_OPTIONAL_LOCKS: '0',
    })
    for (const name of ['BASH_ENV', 'BASH_FUNC_ls%%', 'EMPTY', ...Object.keys(traps)]) {
      expect(environment).not.toHaveProperty(name)
    }
  })

  it('drops relative places of programs on Windows too', () => {
    const environment = readOnlyEnvironment({ Path: 'C:\\Windows;.;bin;;D:\\git\\bin' }, new Map())
    expect(environment.Path).toBe('C:\\Windows;D:\\git\\bin')
    expect(environment).not.toHaveProperty('PATH')
  })

  it('trusts the configuration of a git only where it takes settings from the environment', () => {
    const environment = configurationEnvironment({ PATH: '/usr/bin:/bin', HOME: '/nowhere' }, 'a proof')
    const [git, ...args] = gitConfigurationCommand
    const listed = (env: Record<string, string>): string =>
      spawnSync(git, args, { cwd: folder, env, encoding: 'utf8' }).stdout
    expect(provenConfiguration(listed(environment), 'a proof')?.has('tsugi.proof')).toBe(false)
    // As a git before 2.31 does, which does not know the variable.
    const { GIT_CONFIG_COUNT: _, ...old } = environment
    expect(provenConfiguration(listed(old), 'a proof')).toBeNull()
    expect(provenConfiguration('tsugi.proof\nanother\0', 'a proof')).toBeNull()
    expect(provenConfiguration('', 'a proof')).toBeNull()
  })

  it('puts options behind each git of a line, and nothing elsewhere', async () => {
    const source = 'git log -1; echo git | cat; git -C "a b" diff x'
    const reads = check.readOnly(await check.read(source))
    if (isRefusal(reads)) throw new Error(reads.about)
    const set = '--no-pager -c core.fsmonitor=false -c log.showSignature=false'
    expect(hardenedLine(source, reads)).toBe(
      `git ${set} log --no-ext-diff --no-textconv --ignore-submodules=all -1; echo git | cat; ` +
        `git ${set} -C "a b" diff --no-ext-diff --no-textconv --ignore-submodules=all x`,
    )
  })
})

describe.skipIf(process.platform === 'win32')('git that only reads', () => {
  it('leaves the index alone, also where a file was touched', async () => {
    const repository = mkdtempSync(path.join(folder, 'index-'))
    const git = (...args: string[]) => spawnSync('git', args, { cwd: repository, encoding: 'utf8' })
    git('init', '-q')
    writeFileSync(path.join(repository, 'a.txt'), 'one\n')
    git('add', '-A')
    git('-c', 'user.email=a@example.com', '-c', 'user.name=a', 'commit', '-qm', 'one')
    utimesSync(path.join(repository, 'a.txt'), new Date(0), new Date(0))
    const index = path.join(repository, '.git/index')
    const before = readFileSync(index)
    for (const source of ['git diff', 'git status', 'git diff HEAD', 'git blame a.txt', 'git ls-files -m']) {
      const reads = check.readOnly(await check.read(source))
      if (isRefusal(reads)) throw new Error(reads.about)
      const { status } = bash(
        hardenedLine(source, reads),
        repository,
        readOnlyEnvironment(process.env, new Map()),
      )
      expect([source, status, readFileSync(index).equals(before)]).toEqual([source, 0, true])
    }
  })
})

describe.skipIf(process.platform === 'win32')('programs planted in a repository', () => {
  const repository = path.join(folder, 'repository')
  const trace = path.join(folder, 'trace')
  const git = (...args: string[]) => spawnSync('git', args, { cwd: repository, encoding: 'utf8' })

  beforeAll(() => {
    mkdirSync(repository)
    git('init', '-q')
    git('config', 'user.email', 'a@example.com')
    git('config', 'user.name', 'a')
    writeFileSync(path.join(repository, '.gitattributes'), '* filter=f diff=d merge=m\n*.txt filter=a=b\n')
    for (const text of ['one\n', 'two\n']) {
      writeFileSync(path.join(repository, 'a.txt'), text)
      git('add', '-A')
      git('commit', '-qm', text)
    }
    writeFileSync(path.join(repository, 'a.txt'), 'three\n')
    const evil = path.join(folder, 'evil.sh')
    writeFileSync(evil, `#!/bin/sh\necho ran >> '${trace}'\ncat "$1" 2>/dev/null || cat\n`)
    chmodSync(evil, 0o755)
    const programs = [
      'filter.f.clean',
      'filter.f.process',
      'filter.a=b.clean',
      'diff.d.command',
      'diff.d.textconv',
    ]
    const others = [
      'diff.external',
      'core.fsmonitor',
      'gpg.program',
      'merge.m.driver',
      'core.pager',
      'core.hooksPath',
    ]
    for (const key of [...programs, ...others]) git('config', key, evil)
    git('config', 'filter.f.required', 'true')
    git('config', 'filter.a=b.required', 'true')
    git('config', 'format.pretty', '%G? %h')
    git('config', 'log.showSignature', 'true')
    git('config', 'log.diffMerges', 'remerge')
  })

  const uses = [
    'git diff',
    'git status',
    'git log -p -2',
    'git show HEAD',
    'git blame a.txt',
    'git ls-files -m',
  ]
  const more = [
    'git grep three',
    'git reflog',
    'git stash list',
    'git diff --cached',
    'git log -p -m',
    'git check-ignore a',
  ]

  it.each([...uses, ...more])('do not run: %s', async (source) => {
    const reads = check.readOnly(await check.read(source))
    if (isRefusal(reads)) throw new Error(`${reads.reason} ${reads.about}`)
    const listed = spawnSync(gitConfigurationCommand[0], gitConfigurationCommand.slice(1), {
      cwd: repository,
      env: configurationEnvironment(process.env, 'a proof'),
      encoding: 'utf8',
    })
    const configuration = provenConfiguration(listed.stdout, 'a proof')
    const environment = readOnlyEnvironment(process.env, configuration ?? new Map())
    rmSync(trace, { force: true })
    // A changed time makes git look into the file.
    utimesSync(path.join(repository, 'a.txt'), new Date(), new Date())
    const { status, stderr } = bash(hardenedLine(source, reads), repository, environment)
    expect(existsSync(trace)).toBe(false)
    expect([stderr, status]).toEqual(['', source.startsWith('git check-ignore') ? 1 : 0])
  })

  it('would have run: the trap is real', () => {
    rmSync(trace, { force: true })
    git('diff')
    expect(existsSync(trace)).toBe(true)
  })
})

describe.skipIf(!existsSync('/bin/bash'))('lines put together at random', () => {
  const pieces = [
    ...[
      'ls',
      'cat a',
      'echo x',
      'touch p',
      'rm a',
      '$(touch p)',
      '`touch p`',
      '<<EOF',
      "<<'EOF'",
      '\nEOF\n',
      '\n',
      '\\\n',
      '\\',
    ],
    ...[
      '"',
      "'",
      '#',
      '{',
      '}',
      '(',
      ')',
      ';',
      '&&',
      '||',
      '|',
      '&',
      '>',
      '>>',
      '<',
      '<<<',
      '2>',
      '>&',
      '&>',
      '/dev/null',
      'p',
    ],
    ...[
      '$',
      '$A',
      '${A:-x}',
      '${A:=x}',
      '${!A}',
      '!',
      ' ',
      '\t',
      '=',
      'A=1',
      '[ -f a ]',
      '~',
      '*',
      '{a,b}',
      "$'",
      '\r',
      '\u00a0',
    ],
    ...[
      'sort',
      '-o',
      '--',
      'if',
      'then',
      'fi',
      '[[',
      '((',
      '))',
      'sed -n 1p a',
      "awk '{print}' a",
      'find .',
      '-delete',
      '日',
    ],
  ]

  /** Yields a fixed sequence, so that a failure can be reproduced. */
  function* lines(count: number): Generator<string> {
    let state = 20_240_607
    const below = (limit: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * limit)
    }
    for (let made = 0; made < count; made++) {
      let line = ['ls ', 'cat a ', 'echo x', 'echo ', ''][below(5)] ?? ''
      for (let left = 1 + below(7); left > 0; left--)
        line += (pieces[below(pieces.length)] ?? '') + ' '.repeat(below(2))
      yield line
    }
  }

  it('never throw, and change nothing where they count as read-only', { timeout: 600_000 }, async () => {
    const environment = readOnlyEnvironment(process.env, new Map())
    const target = path.join(folder, 'random')
    mkdirSync(target)
    writeFileSync(path.join(target, 'a'), '1\n')
    let run = 0
    for (const source of lines(isSoak ? 20_000 : 350)) {
      const line = await check.read(source)
      check.risks(line)
      if (isRefusal(check.readOnly(line))) continue
      run += 1
      bash(source, target, environment)
      expect([source, readdirSync(target)]).toEqual([source, ['a']])
    }
    expect(run).toBeGreaterThan(40)
  })
})
