/** Commands that plant something in the project for later, or use up the machine. */
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CommandChanges, CommandChangesPlan } from '../../../src/main/sandbox/changes/command-changes.ts'
import { hasLimitOfSpace } from '../../../src/main/sandbox/programs.ts'
import { placeOnDisk } from '../../fakes/disks/on-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { eventually } from '../../fakes/eventually.ts'
import { sandboxedProject, sandboxHere } from '../../fakes/rigs/real-sandbox.ts'
import { commandChangesHost } from '../../fakes/victims/command-changes-host.ts'

placeOnDisk()

const here = await sandboxHere()
const outputBytes = process.env.TSUGI_SOAK ? 10 * 1024 ** 3 : 64 * 1024 ** 2
/** Longer than a tick of a disk's clock, which has up to 10 ms. */
const tickMs = 20

/** Lines that plant something, and the paths that have to be asked about therefore. */
const plants: [line: string, asked: string[]][] = [
  ["echo '*' > .gitignore; echo evil > evil.js", ['.gitignore', 'evil.js']],
  ["mkdir src; echo '*' > src/.gitignore; echo evil > src/evil.js", ['src/.gitignore', 'src/evil.js']],
  ["mkdir -p .git/info; echo '*' > .git/info/exclude; echo evil > evil.js", ['.git/info/exclude', 'evil.js']],
  ['echo evil | tee .envrc build/.envrc', ['.envrc', 'build/.envrc']],
  [
    'mkdir build/sub; echo obey | tee AGENTS.md build/AGENTS.md build/sub/CLAUDE.md',
    ['AGENTS.md', 'build/AGENTS.md', 'build/sub/CLAUDE.md'],
  ],
  [
    'mkdir .husky build/.githooks; echo evil | tee .husky/pre-commit build/.githooks/pre-commit',
    ['.husky/pre-commit', 'build/.githooks/pre-commit'],
  ],
  [
    'mkdir -p build/sub/.git/hooks; echo evil > build/sub/.git/hooks/post-checkout',
    ['build/sub/.git/hooks/post-checkout'],
  ],
  ['mkdir build/.vscode; echo evil > build/.vscode/tasks.json', ['build/.vscode/tasks.json']],
]

function projectWithBuild(): string {
  const project = tempFolder()
  writeFileSync(join(project, '.gitignore'), 'build/\nout\n')
  for (const folder of ['build', 'out']) {
    mkdirSync(join(project, folder))
    writeFileSync(join(project, folder, 'o'), 'built\n')
  }
  return project
}

/** Runs a line in a copy of the project; it is asked about what the line changed. */
async function ranInCopy(
  project: string,
  line: string,
): Promise<{ commandChanges: CommandChanges; plan: CommandChangesPlan }> {
  await new Promise((resolve) => setTimeout(resolve, tickMs))
  const { sandboxed } = await executed(project, line)
  const commandChanges = sandboxed?.commandChanges
  if (commandChanges == null) throw new Error(`nothing was changed by ${line}`)
  return { commandChanges, plan: await commandChanges.plan() }
}

async function executed(project: string, line: string) {
  const host = await commandChangesHost(tempFolder())
  onTestFinished(() => host.close())
  const command = { line, folder: project, timeoutMs: 600_000, isBackground: false, isReadOnly: false }
  return host
    .commandsIn(project)
    .execute({ ...command, isSandboxed: true }, () => undefined, new AbortController().signal)
}

function runPlain(project: string, line: string): void {
  expect(spawnSync('sh', ['-c', line], { cwd: project }).status).toBe(0)
}

describe.skipIf(here.kind === 'none')('a command that plants something', () => {
  it.each(plants)('is asked about: %s', async (line, asked) => {
    const project = projectWithBuild()
    const { commandChanges, plan } = await ranInCopy(project, line)
    const named = [...plan.files, ...plan.entries, ...plan.left].map(({ path }) => path)
    const isNamed = (path: string): boolean => named.some((one) => one === path || path.startsWith(`${one}/`))
    expect(asked.filter((path) => !isNamed(path))).toEqual([])
    const moved = plan.ignored.flatMap(({ changes }) => changes.map(({ path }) => path))
    expect(asked.filter((path) => moved.includes(path))).toEqual([])
    await commandChanges.drop()
    expect(asked.filter((path) => path !== '.gitignore' && existsSync(join(project, path)))).toEqual([])
    // Without the copy each of them is there at once.
    runPlain(project, line)
    expect(asked.filter((path) => !existsSync(join(project, path)))).toEqual([])
  })

  it('reaches nothing outside by a link in the place of an ignored folder', async () => {
    const [project, outside] = [projectWithBuild(), tempFolder()]
    const line = `rm -r out; ln -s ${outside} out; echo x > out/planted; true`
    const { commandChanges, plan } = await ranInCopy(project, line)
    expect(plan.ignored.map(({ top, leadsOut }) => [top, leadsOut])).toEqual([['out', true]])
    expect(lstatSync(join(project, 'out')).isDirectory()).toBe(true)
    await commandChanges.apply(plan, 'test')
    expect(readdirSync(outside)).toEqual([])
    runPlain(projectWithBuild(), line)
    expect(readdirSync(outside)).toEqual(['planted'])
  })

  it('has nothing moved through a link that takes the place of an ignored folder while it is asked about', async () => {
    const [project, outside] = [projectWithBuild(), tempFolder()]
    const { commandChanges, plan } = await ranInCopy(
      project,
      'mkdir build/new; echo x | tee build/new/y build/o',
    )
    renameSync(join(project, 'build'), join(project, 'former'))
    symlinkSync(outside, join(project, 'build'))
    const { left } = await commandChanges.apply(plan, 'test')
    expect(left.sort()).toEqual(['build/new/y', 'build/o'])
    expect(readdirSync(outside)).toEqual([])
    expect(readFileSync(join(project, 'former/o'), 'utf8')).toBe('built\n')
    // With or without the sandbox, the link leads outside.
    writeFileSync(join(project, 'build/o'), 'x')
    expect(readdirSync(outside)).toEqual(['o'])
  })

  it('leaves no program that runs as its owner', async () => {
    const project = projectWithBuild()
    const line = 'cp /bin/true build/root; cp /bin/true tool; chmod 6755 build/root tool'
    const { commandChanges, plan } = await ranInCopy(project, line)
    await commandChanges.apply(plan, 'test')
    const modes = () => ['build/root', 'tool'].map((path) => statSync(join(project, path)).mode & 0o7777)
    expect(modes()).toEqual([0o755, 0o755])
    runPlain(project, line)
    expect(modes()).toEqual([0o6755, 0o6755])
  })
})

describe.skipIf(here.kind === 'none')('a command that uses up the machine', () => {
  it(`has the beginning and the end of ${outputBytes} bytes of output kept`, async () => {
    const line = `yes 0123456789abcde | head -c ${outputBytes}`
    const { output, totalBytes, isCut, end } = await executed(tempFolder(), line)
    expect([end, totalBytes, isCut]).toEqual(['exited', outputBytes, true])
    expect(Buffer.byteLength(output)).toBeLessThan(2_000_000)
    const plain = spawnSync('sh', ['-c', `${line} | wc -c`], { encoding: 'utf8' })
    expect(Number(plain.stdout)).toBe(outputBytes)
  })

  const isLimited = process.getuid?.() !== 0 || hasLimitOfSpace(release())
  it.skipIf(!isLimited)('cannot go on forking, and leaves no process behind', async () => {
    const mark = `74${process.pid}`
    const bomb = (depth: number): string =>
      `bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) & bomb $(($1 - 1)) & fi; sleep ${mark}; }; bomb ${depth} & sleep 3`
    const ids = (): number[] =>
      spawnSync('pgrep', ['-f', `sleep ${mark}`], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter(Boolean)
        .map(Number)
    const { run } = await sandboxedProject()
    const { output } = await run(bomb(12), { limitProcesses: 400, timeoutMs: 60_000 })
    expect(output).toMatch(/fork/)
    expect(ids()).toEqual([])
    // A small one stays behind without the wall.
    const plain = spawn('sh', ['-c', bomb(3)], { detached: true, stdio: 'ignore' })
    onTestFinished(() => void process.kill(-(plain.pid ?? 0), 'SIGKILL'))
    await new Promise((resolve) => plain.once('exit', resolve))
    await eventually(() => expect(ids().length).toBeGreaterThan(8))
  })
})
