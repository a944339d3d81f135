import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Disk } from '../../../src/main/platform/files/disk.ts'
import { diskWithoutFirstCopy, sandboxHere, triedDataDir } from '../../fakes/rigs/real-sandbox.ts'
import { approve, calls, type Thought } from '../../fakes/sessions/scripted-mind.ts'
import type { SessionHost } from '../../fakes/sessions/session-host.ts'
import {
  approveGate,
  editPort,
  openRoom,
  type SpeculationRoom,
} from '../../fakes/sessions/speculation-room.ts'

const here = await sandboxHere()
const context = { signal: new AbortController().signal }

/** A program whose effects are not visible in the command line: it tests the port and writes two files, one ignored. */
const check = [
  'import os',
  "text = open('src/app.ts').read()",
  "open('report.txt', 'w').write('checked\\n')",
  "os.makedirs('build', exist_ok=True)",
  "open('build/out.txt', 'a').write('built\\n')",
  "print('port two' if 'port = 2' in text else 'port one', '54 passed')",
].join('\n')

const run = (line: string): Thought => calls(['run_command', { line, reason: 'see it' }])

async function inCopy({ app, workId }: SessionHost): Promise<void> {
  await app.api['sandbox.get']({ workId, isTriedAgain: false }, context)
  await app.api['sandbox.set']({ workId, isOn: true }, context)
}

/** Options of a room whose commands run in a copy. */
function copied() {
  return { prepare: inCopy, dataDir: triedDataDir() }
}

async function runsLeft({ host }: SpeculationRoom): Promise<string[]> {
  const folder = join((await host.app.api['host.info']({}, context)).dataDir, 'sandbox', 'runs')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Plays a speculation of an edit and the Python `program`, of which nothing is kept, and accepts the edit. */
async function acceptedWithout(
  name: string,
  program: string,
  options: { dataDir?: string; disk?: Disk } = {},
): Promise<SessionHost> {
  const thoughts = editPort(run(`python3 ${name}`))
  const room = await openRoom(thoughts, {
    files: { [name]: program },
    ...copied(),
    ...options,
  })
  const { host, speculations } = room
  const link = await speculations.becomes({
    phase: 'boundary',
    boundary: expect.objectContaining({ copy: 'failed' }),
  })
  expect(link.files.map(({ path }) => path)).toEqual(['src/app.ts'])
  await speculations.accept(link)
  await approveGate(room)
  expect(await speculations.gone()).toBe('accepted')
  return host
}

const files = { 'check.py': check, '.gitignore': 'build/\n' }

/** Returns the ids of processes whose arguments hold all of these words. */
function processesWith(...words: string[]): string[] {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false
    try {
      const line = readFileSync(join('/proc', id, 'cmdline'), 'utf8')
      return words.every((word) => line.includes(word))
    } catch {
      // The process has ended.
      return false
    }
  })
}

describe.skipIf(here.kind === 'none')('a command in a speculation', () => {
  it('sees what was speculated, leaves its changes in the overlay, and is undone with its turn', async () => {
    const twice = [run('python3 check.py'), run('cat report.txt build/out.txt')]
    const room = await openRoom([...editPort(...twice), approve], {
      files,
      ...copied(),
    })
    const { host, speculations } = room
    const link = await speculations.becomes({ phase: 'completed' })
    expect(link.boundary).toBeNull()
    expect(link.files.map(({ path }) => path)).toEqual(['report.txt', 'src/app.ts'])
    const { app: api, sessionId: inSession } = host
    const preview0 = await api.api['speculation.preview'](
      { sessionId: inSession, speculationId: link.speculationId },
      context,
    )
    expect(preview0?.ignored).toMatchObject([{ top: 'build', files: 1 }])
    expect(preview0?.files).toMatchObject([
      { path: 'report.txt', action: 'create', oldText: null, newText: 'checked\n' },
      { path: 'src/app.ts', action: 'edit', addedLines: 1, removedLines: 1 },
    ])
    expect(preview0?.items[0]).toMatchObject({ kind: 'user' })
    await speculations.becomes({ tests: { passed: 54, failed: 0 }, onAccept: 'ask' })
    expect(existsSync(join(host.root, 'report.txt'))).toBe(false)
    expect(existsSync(join(host.root, 'build'))).toBe(false)
    expect(await runsLeft(room)).toEqual([])

    await speculations.accept(link)
    const asked = await approveGate(room)
    const gate = asked.accepting?.step === 'gate' ? asked.accepting.gate : null
    expect(gate?.calls[0]).toMatchObject({ effects: { ignored: [{ top: 'build', files: 1 }] } })
    expect(await speculations.gone()).toBe('accepted')
    expect(host.read('report.txt')).toBe('checked\n')
    expect(host.read('build/out.txt')).toBe('built\n')
    const items = await host.items()
    const said = items.flatMap((item) =>
      item.kind === 'call' && item.tool === 'run_command' ? item.text : [],
    )
    expect(said[0]).toContain('port two')
    expect(said[0]).toContain('report.txt')
    expect(said[1]).toContain('built')

    const { app, sessionId } = host
    const turn = items.findLast(({ kind }) => kind === 'user')?.turn ?? 0
    const preview = await app.api['session.undoPreview']({ sessionId, turn }, context)
    expect(preview.commands).toEqual([])
    expect(preview.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['report.txt', 'src/app.ts', 'build/out.txt']),
    )
  })

  it('is kept where the run below it is accepted while it runs', async () => {
    const slow = [
      'import time',
      "print(open('src/app.ts').read(), open('report.txt').read())",
      'time.sleep(2)',
      "open('report.txt', 'a').write('again\\n')",
      "open('new.txt', 'w').write('new\\n')",
      "print('54 passed')",
    ].join('\n')
    const onTop = [...editPort(run('python3 slow.py')), approve].flatMap((thought, at) =>
      // The edit was made by the run below.
      at === 4 ? [] : [thought],
    )
    const room = await openRoom([...editPort(run('python3 check.py')), approve, ...onTop], {
      files: { ...files, 'slow.py': slow },
      settings: { enableChainedSpeculation: true },
      next: 'see whether it is slow',
      ...copied(),
    })
    const { host, speculations } = room
    const link = await speculations.becomes({ phase: 'completed', onAccept: 'ask' })
    await expect.poll(() => speculations.states.at(-1)?.links[1]?.phase).toBe('running')
    await speculations.accept(link)
    await speculations.becomes({ accepting: { step: 'gate', gate: expect.anything() } })
    await expect.poll(() => runsLeft(room)).not.toEqual([])
    await approveGate(room)
    const next = await speculations.becomes({ text: 'see whether it is slow', phase: 'completed' })
    expect(host.read('src/app.ts')).toContain('port = 2')
    expect(next.boundary).toBeNull()
    expect(next.files.map(({ path }) => path)).toEqual(['new.txt', 'report.txt'])
    await speculations.becomes({ tests: { passed: 54, failed: 0 }, onAccept: 'ask' })
    await speculations.accept(next)
    await approveGate(room)
    expect(await speculations.gone()).toBe('accepted')
    expect([host.read('report.txt'), host.read('new.txt')]).toEqual(['checked\nagain\n', 'new\n'])
    const passed = (await host.items()).filter(
      (item) => item.kind === 'call' && item.tool === 'run_command' && item.text.includes('54 passed'),
    )
    expect(passed).toHaveLength(2)
  })

  it('is kept with a cache that excludes itself, as test runners make one', async () => {
    const program = [
      'import os',
      "os.makedirs('.test_cache/v')",
      "open('.test_cache/.gitignore', 'w').write('*\\n')",
      "open('.test_cache/v/last', 'w').write('1')",
      "print('54 passed')",
    ].join('\n')
    const room = await openRoom([...editPort(run('python3 tested.py')), approve], {
      files: { 'tested.py': program },
      ...copied(),
    })
    const link = await room.speculations.becomes({ phase: 'completed' })
    expect(link.files.map(({ path }) => path)).toEqual([
      '.test_cache/.gitignore',
      '.test_cache/v/last',
      'src/app.ts',
    ])
    await room.speculations.accept(link)
    await approveGate(room)
    expect(await room.speculations.gone()).toBe('accepted')
    expect(room.host.read('.test_cache/v/last')).toBe('1')
  })

  it('stops where nobody has allowed it, and says so', async () => {
    const prepare = async ({ app, workId }: SessionHost): Promise<void> => {
      await app.api['sandbox.get']({ workId, isTriedAgain: false }, context)
    }
    const room = await openRoom(editPort(run('python3 check.py')), {
      files,
      prepare,
      dataDir: triedDataDir(),
    })
    await room.speculations.becomes({
      phase: 'boundary',
      boundary: { kind: 'shell', copy: 'off', title: 'python3 check.py', callId: expect.any(String) },
    })
  })

  it('keeps nothing of one that was hindered: it is asked about after the rest is taken', async () => {
    const offline = 'open("b.txt", "w").write("part")\nprint("connect ECONNREFUSED")\nexit(1)\n'
    const host = await acceptedWithout('net.py', offline)
    // In the session it runs in a copy again, and is then offered outside.
    await expect
      .poll(async () => (await host.gate())?.gate.calls[0])
      .toMatchObject({ sandbox: 'network', command: { line: 'python3 net.py' } })
    expect(existsSync(join(host.root, 'b.txt'))).toBe(false)
  })

  it('stops where its copy cannot be made, and the command runs in a copy once the rest is taken', async () => {
    const dataDir = triedDataDir()
    const options = { dataDir, disk: diskWithoutFirstCopy(dataDir) }
    const host = await acceptedWithout('make.py', 'open("made.txt", "w").write("made\\n")\n', options)
    await expect
      .poll(async () => (await host.gate())?.gate)
      .toMatchObject({ kind: 'effects', calls: [{ files: [{ path: 'made.txt' }] }] })
    expect(existsSync(join(host.root, 'made.txt'))).toBe(false)
  })

  it('keeps nothing of one that made links, which come as links once the rest is taken', async () => {
    const linking = 'import os\nopen("made.txt", "w").write("made\\n")\nos.symlink("made.txt", "link.txt")\n'
    const host = await acceptedWithout('link.py', linking)
    await expect
      .poll(async () => (await host.gate())?.gate.calls[0]?.files.map(({ path }) => path))
      .toEqual(['made.txt', 'link.txt'])
    await host.answer('approve')
    await expect.poll(() => existsSync(join(host.root, 'link.txt'))).toBe(true)
    expect(readlinkSync(join(host.root, 'link.txt'))).toBe('made.txt')
  })

  it('is stale where any file that is not ignored changes after it, and may be taken all the same', async () => {
    const room = await openRoom([...editPort(run('python3 check.py')), approve], {
      files,
      ...copied(),
    })
    const { host, speculations } = room
    const link = await speculations.becomes({ phase: 'completed' })
    for (const path of ['README.md', '.toolrc', '.README.md.swp']) {
      writeFileSync(join(host.root, path), '# two\n')
    }
    await speculations.accept(link)
    const stale = await speculations.becomes({
      accepting: { step: 'stale', paths: ['.toolrc', 'README.md'] },
    })
    await speculations.decide(stale, { kind: 'go-on' })
    await approveGate(room)
    expect(await speculations.gone()).toBe('accepted')
  })

  it('ends with its run, and leaves neither files nor processes', async () => {
    const room = await openRoom(editPort(run('python3 wait.py')), {
      files: { 'wait.py': 'import time\ntime.sleep(60)\n' },
      ...copied(),
    })
    const { speculations } = room
    await expect.poll(() => runsLeft(room)).toHaveLength(1)
    await expect.poll(() => processesWith('wait.py', room.host.root)).not.toEqual([])
    const link = await speculations.becomes({ phase: 'running' })
    expect(await speculations.reject(link)).toBe(true)
    await speculations.gone()
    await expect.poll(() => runsLeft(room)).toEqual([])
    await expect.poll(() => processesWith('wait.py', room.host.root)).toEqual([])
  })
})
