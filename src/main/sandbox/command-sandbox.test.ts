import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { realSandbox, sandboxHere } from '../../../tests/fakes/rigs/real-sandbox.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { systemRandom } from '../platform/random.ts'
import { type CommandSandboxDeps, createCommandSandbox } from './command-sandbox.ts'
import { noSandbox, type Sandbox, type SandboxRun } from './sandbox.ts'

const here = await sandboxHere()
const variables = { PATH: process.env.PATH ?? '', HOME: homedir() }
const noLayer = { files: [], folders: [], gone: [] }

/** The commands of one folder, behind the real wall unless `create` makes another one. */
async function commandsOf(create: (dataDir: string) => Sandbox = realSandbox) {
  const [dataDir, root] = [tempFolder(), tempFolder()]
  writeFileSync(join(root, 'a.txt'), 'old\n')
  let trials = 0
  let asked: ReturnType<CommandSandboxDeps['kept']['asked']> = {}
  let moves: ReturnType<CommandSandboxDeps['kept']['moves']> = {}
  const store = { isFull: false, openGates: [] as string[], asked: () => Object.keys(asked) }
  const logged: string[] = []
  const real = create(dataDir)
  const sandbox: Sandbox = {
    ...real,
    recheck() {
      trials += 1
      return real.recheck()
    },
  }
  const commands = createCommandSandbox({
    sandbox,
    disk: nodeDisk,
    random: systemRandom,
    log: { write: (_, event) => void logged.push(event), bug: (error) => String(error) },
    dataDir,
    kept: {
      folders: () => [root],
      setFolders: () => undefined,
      asked: () => asked,
      setAsked(runs) {
        if (store.isFull) throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
        asked = runs
      },
      moves: () => moves,
      setMoves(next) {
        moves = next
      },
    },
    environment: async () => variables,
    safeEnvironment: async () => variables,
    secretsIn: async (folder) => ({ files: existsSync(join(folder, '.env')) ? ['.env'] : [], folders: [] }),
    isAsked: () => false,
    hasOpenGate: (sessionId, callId) => sessionId === 'session' && store.openGates.includes(callId),
  })
  await commands.status()
  const folder = {
    look: async () => ({ kind: 'none' as const }),
    problemOf: async () => null,
    entryAt: async () => null,
    entryProblemOf: async () => null,
    apply: () => Promise.reject(new Error('applied')),
  }
  const place = { ownerId: 'session', root, cwd: root, added: [], folder }
  const begun = (pending: typeof moves) => {
    moves = pending
  }
  return { commands, place, dataDir, root, store, logged, begun, trials: () => trials }
}

function play({ wall, environment }: SandboxRun, line: string) {
  const { status, stdout, stderr } = spawnSync(wall.program, [...wall.args, 'bash', '-c', line], {
    env: environment,
    encoding: 'utf8',
  })
  return { isOk: status === 0, isCut: false, output: stdout + stderr }
}

it.skipIf(here.kind === 'none')('hides the secrets of the folder and of those that were added', async () => {
  const { commands, place, root } = await commandsOf()
  const added = tempFolder()
  for (const folder of [root, added]) writeFileSync(join(folder, '.env'), 'KEY=planted')
  writeFileSync(join(added, 'notes'), 'read me')
  const run = await commands.begin({ ...place, added: [added] })
  const { output } = play(run, `cat .env ${added}/.env ${added}/notes`)
  expect(output).toContain('read me')
  expect(output).not.toContain('planted')
  await commands.remove(run)
})

it.each(['darwin', 'win32'])(
  'runs no command in a copy on %s, also where the folder has it on',
  async (system) => {
    const { commands, place, root } = await commandsOf(() => noSandbox(system))
    const none = { kind: 'none', part: 'system', detail: system }
    expect([await commands.status(), await commands.recheck()]).toEqual([none, none])
    expect(commands.isOn(root)).toBe(true)
    expect([await commands.isReady(root), commands.isKnownReady(root)]).toEqual([false, false])
    await expect(commands.begin(place)).rejects.toThrow('no sandbox on this system')
    expect(await commands.recover()).toEqual([])
  },
)

describe.skipIf(here.kind === 'none')('a folder that holds the home or data folder', () => {
  it('has no sandbox, so that none is offered there', async () => {
    const { commands, root, dataDir } = await commandsOf()
    expect([await commands.isReady(root), commands.isKnownReady(root)]).toEqual([true, true])
    for (const folder of [dataDir, dirname(dataDir), homedir()])
      expect([await commands.isReady(folder), commands.isKnownReady(folder)]).toEqual([false, false])
  })
})

describe.skipIf(here.kind === 'none')('a run about whose changes the user is asked', () => {
  /** Runs a command, and records that the user is asked about it in the call. */
  async function askedIn({ commands, place }: Awaited<ReturnType<typeof commandsOf>>, callId: string) {
    const run = await commands.begin(place)
    const { commandChanges } = await commands.end(run, place, play(run, 'echo new > a.txt'))
    const result = { isOk: true, text: callId, view: { kind: 'text' as const } }
    commandChanges?.keep({ callId, command: { line: 'x', folder: '.' }, result })
    return run.runId
  }

  it('stays for the next host while its approval is open, and can be read there', async () => {
    const rig = await commandsOf()
    const { commands, place, dataDir, store } = rig
    const runId = await askedIn(rig, 'open')
    await askedIn(rig, 'closed')
    await commands.begin(place)
    store.openGates.push('open')
    await commands.recover()
    const runs = () => readdirSync(join(dataDir, 'sandbox', 'runs'))
    expect([runs(), store.asked()]).toEqual([[runId], [runId]])
    const call = { ...place, callId: 'open' }
    for (const other of [{ ownerId: 'other' }, { callId: 'closed' }, { root: tempFolder() }])
      expect(await commands.reopen({ ...call, ...other })).toBeNull()
    const found = await commands.reopen(call)
    expect(found).toMatchObject({ command: { line: 'x' }, result: { text: 'open' } })
    const { files } = (await found?.commandChanges.plan()) ?? {}
    expect(files).toMatchObject([{ path: 'a.txt', newBytes: Buffer.from('new\n') }])
    await commands.dropOf('other')
    expect([runs(), store.asked()]).toEqual([[runId], [runId]])
    await commands.dropOf('session')
    expect([runs(), store.asked()]).toEqual([[], []])
  })

  it('is asked about also where the full disk cannot take its record', async () => {
    const rig = await commandsOf()
    rig.store.isFull = true
    await askedIn(rig, 'open')
    expect(rig.store.asked()).toEqual([])
    expect(rig.logged).toEqual(['sandbox.asked-not-kept'])
    await rig.commands.recover()
  })
})

describe.skipIf(here.kind === 'none')('moves that a killed host has not finished', () => {
  it('leave what changed after the command, name it once, and put the rest into its place', async () => {
    const { commands, place, root, begun } = await commandsOf()
    const run = await commands.begin(place)
    play(run, 'echo new | tee a.txt > b.txt')
    const file = { kind: 'file', sizeBytes: 4, mode: 0o644, lowerMode: null } as const
    const changes = ['a.txt', 'b.txt'].map((path) => ({ ...file, path }))
    const parts = [{ top: '.', changes, files: 2, sizeBytes: 8, leadsOut: false }]
    begun({ [run.runId]: { project: root, parts, beganAtNs: String(run.beganAtNs) } })
    writeFileSync(join(root, 'a.txt'), 'changed later\n')
    expect(await commands.recover()).toEqual([{ project: root, paths: ['a.txt'] }])
    const texts = ['a.txt', 'b.txt'].map((name) => readFileSync(join(root, name), 'utf8'))
    expect(texts).toEqual(['changed later\n', 'new\n'])
    expect(await commands.recover()).toEqual([])
  })
})

describe.skipIf(here.kind === 'none')('a copy that cannot be mounted', () => {
  it('hinders the command, which did not run, and has the trial repeated', async () => {
    const { commands, place, root, trials } = await commandsOf()
    for (const over of [undefined, noLayer]) {
      const where = over === undefined ? place : { ...place, over }
      const run = await commands.begin(where)
      rmSync(join(run.folder, 'work'), { recursive: true })
      const outcome = play(run, `touch ${root}/ran /tmp/ran`)
      expect(outcome.isOk).toBe(false)
      const end = over === undefined ? commands.end : commands.endCopy
      expect(await end(run, where, outcome)).toMatchObject({ hindrance: 'mount' })
      expect(readdirSync(root)).toEqual(['a.txt'])
      await commands.remove(run)
    }
    expect(trials()).toBe(2)
  })

  it('is told from a command that fails, and from one that was stopped', async () => {
    const { commands, place, trials } = await commandsOf()
    const failing = await commands.begin(place)
    expect(await commands.end(failing, place, play(failing, 'echo no; exit 1'))).toMatchObject({
      hindrance: null,
    })
    const stopped = await commands.begin(place)
    const cut = { isOk: false, isCut: true, output: '' }
    expect(await commands.end(stopped, place, cut)).toMatchObject({ hindrance: null })
    expect(trials()).toBe(0)
  })

  it('has folders that cannot be made: nothing is left of them', async () => {
    const { commands, place, dataDir } = await commandsOf()
    const runs = join(dataDir, 'sandbox', 'runs')
    rmSync(runs, { recursive: true, force: true })
    writeFileSync(runs, '')
    await expect(commands.begin(place)).rejects.toThrow('file/')
    rmSync(runs)
    const gone = {
      files: [{ path: 'b.txt', content: join(dataDir, 'no-such-file'), mode: 0o644 }],
      folders: [],
      gone: [],
    }
    await expect(commands.begin({ ...place, over: gone })).rejects.toThrow('speculation/files-gone')
    expect(existsSync(runs) ? readdirSync(runs) : []).toEqual([])
  })
})
