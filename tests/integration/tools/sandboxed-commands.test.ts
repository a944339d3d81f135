import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import type { CallContext } from '../../../src/shared/contract/method.ts'
import type { AgentMode } from '../../../src/shared/domain/session/agent-step.ts'
import { diskWith, systemError } from '../../fakes/disks/failing-disk.ts'
import { placeOnDisk } from '../../fakes/disks/on-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { diskWithoutFirstCopy, sandboxHere, triedDataDir } from '../../fakes/rigs/real-sandbox.ts'
import {
  calls,
  editCall,
  justAnswer,
  plan,
  readAndPlan,
  type Thought,
  workIn,
} from '../../fakes/sessions/scripted-mind.ts'
import { type SessionHost, type SessionHostOptions, scriptedHost } from '../../fakes/sessions/session-host.ts'

placeOnDisk()

const here = await sandboxHere()
const context: CallContext = { signal: new AbortController().signal }

/** A session whose model runs `line` once, then `behind` of the same answer, in a folder where commands run in a copy. */
async function running(
  line: string,
  {
    isOn = true,
    mode,
    prepare,
    behind = [],
    answers = justAnswer('It ran.'),
    ...options
  }: Omit<SessionHostOptions, 'answer'> & {
    isOn?: boolean
    mode?: AgentMode
    prepare?: (session: SessionHost) => Promise<unknown>
    behind?: string[]
    answers?: Thought[]
  } = {},
) {
  const run = calls(
    ...[line, ...behind].map((one): [string, Record<string, unknown>] => [
      'run_command',
      { line: one, reason: 'asked for' },
    ]),
  )
  const files = { 'a.txt': 'one\n', ...options.files }
  const dataDir = options.dataDir ?? triedDataDir()
  const session = await scriptedHost([...readAndPlan('a.txt'), run, ...answers], {
    ...options,
    dataDir,
    files,
  })
  await session.app.api['sandbox.get']({ workId: session.workId, isTriedAgain: false }, context)
  if (isOn) await session.app.api['sandbox.set']({ workId: session.workId, isOn }, context)
  await prepare?.(session)
  if (mode !== undefined)
    await session.app.api['session.setMode']({ sessionId: session.sessionId, mode }, context)
  await session.say('run it')
  await session.rest()
  return session
}

/** A program whose effects are not visible in the command line. */
function script(line: string): string {
  return `import subprocess, sys; sys.exit(subprocess.call(['sh', '-c', '''${line}''']))\n`
}

type Running = SessionHost

async function callOf({ items }: Pick<Running, 'items'>) {
  const found = (await items()).find((item) => item.kind === 'call' && item.tool === 'run_command')
  if (found?.kind !== 'call') throw new Error('no command in the conversation')
  return found
}

async function runsLeft({ app }: Running) {
  const folder = join((await app.api['host.info']({}, context)).dataDir, 'sandbox', 'runs')
  return existsSync(folder) ? readdirSync(folder) : []
}

describe.skipIf(here.kind === 'none')('a command in a copy of the folder', () => {
  it('asks about what it changed, applies that without running again, and is undone with its turn', async () => {
    const session = await running('python3 s.py', { files: { 's.py': script('echo $$ >> a.txt; echo ran') } })
    const gate = await session.gate()
    expect(gate?.gate).toMatchObject({
      kind: 'effects',
      calls: [{ files: [{ path: 'a.txt', addedLines: 1 }] }],
    })
    expect(session.read('a.txt')).toBe('one\n')
    expect((await callOf(session)).state).toBe('asked')
    await session.approveAll()
    expect(session.read('a.txt')).toMatch(/^one\n\d+\n$/)
    const call = await callOf(session)
    expect(call).toMatchObject({ state: 'done', view: { sandboxed: { files: [{ path: 'a.txt' }] } } })
    expect(call.text).toContain('a.txt')
    expect(call.text).toContain('ran')
    const { sessionId, app } = session
    const { entries } = await app.api['session.audit']({ sessionId, limit: 50 }, context)
    const { status } = await app.api['sandbox.get']({ workId: session.workId, isTriedAgain: false }, context)
    const profile = status.kind === 'ready' ? `${status.version} ${status.wall}` : ''
    expect(
      entries.map(({ verdict, record }) => [verdict, record?.by, record?.name, record?.profile]),
    ).toEqual(
      expect.arrayContaining([
        ['granted', 'grant', 'sandbox', profile],
        ['approved', 'user', null, undefined],
      ]),
    )
    expect(await runsLeft(session)).toEqual([])
    const preview = await app.api['session.undoPreview']({ sessionId, turn: 1 }, context)
    expect(preview.commands).toEqual([])
    expect(session.bugs).toEqual([])
  })

  it('says what a full disk did to an approved change, with the output, and leaves nothing of the run', async () => {
    const dataDir = triedDataDir()
    let isFull = false
    const disk = diskWith({
      async writeNew(path, bytes, how) {
        if (isFull && !path.startsWith(dataDir)) throw systemError('ENOSPC')
        return nodeDisk.writeNew(path, bytes, how)
      },
    })
    const line = 'echo two >> a.txt; mkdir deps; echo b > deps/b; echo ran'
    const files = { 's.py': script(line), '.gitignore': 'deps\n' }
    const session = await running('python3 s.py', { dataDir, disk, files })
    expect((await session.gate())?.gate).toMatchObject({ kind: 'effects' })
    isFull = true
    await session.approveAll()
    const call = await callOf(session)
    expect(call).toMatchObject({ state: 'failed', view: { sandboxed: { files: [], isDeclined: true } } })
    expect(call.text).toMatch(/not taken over.*disk.*ran/is)
    expect(session.read('a.txt')).toBe('one\n')
    expect(existsSync(join(session.root, 'deps'))).toBe(false)
    expect(await runsLeft(session)).toEqual([])
    isFull = false
    const again = await session.restart()
    onTestFinished(() => again.close())
    await again.rest()
    expect(again.read('a.txt')).toBe('one\n')
    expect(session.bugs).toEqual([])
  })

  it('names the permissions that it changed, in the approval and in its card', async () => {
    const session = await running('python3 s.py', { files: { 's.py': script('chmod 755 a.txt') } })
    const gate = await session.gate()
    const changed = { path: 'a.txt', action: 'edit', addedLines: 0, removedLines: 0, mode: 0o755 }
    expect(gate?.gate.calls[0]?.files).toMatchObject([changed])
    await session.approveAll()
    expect(await callOf(session)).toMatchObject({ view: { sandboxed: { files: [changed] } } })
    expect(session.bugs).toEqual([])
  })

  it('does not say that a content stays where only its line ends change, or bytes that are no text', async () => {
    const line = "sed -i 's/$/\\\\r/' a.txt; head -c 4 /dev/zero > b.dat"
    const session = await running('python3 s.py', { files: { 's.py': script(line) } })
    const gate = await session.gate()
    const changed = { addedLines: 0, removedLines: 0, isOpaque: true }
    expect(gate?.gate.calls[0]?.files).toMatchObject([
      { path: 'a.txt', action: 'edit', ...changed },
      { path: 'b.dat', action: 'create', ...changed },
    ])
    await session.approveAll()
    expect(await callOf(session)).toMatchObject({ view: { sandboxed: { files: [changed, changed] } } })
    expect(session.bugs).toEqual([])
  })

  it('takes over links and folders, takes them back with the turn, and makes them again', async () => {
    const line = 'ln -s a.txt link; mkdir -p new/empty; rm -r old; ln -s /etc out'
    const session = await running('python3 s.py', {
      files: { 's.py': script(line), 'old/f.txt': 'f\n' },
      mode: 'full',
    })
    const gate = await session.gate()
    expect(gate?.gate.calls[0]?.files.map(({ path, action, entry }) => [path, action, entry])).toEqual([
      ['old/f.txt', 'delete', undefined],
      ['link', 'create', 'link'],
      ['out', 'create', 'link'],
      ['new/empty', 'create', 'folder'],
    ])
    expect(gate?.gate.risk.reasons).toContainEqual({ code: 'link-outside', detail: 'out' })
    await session.approveAll()
    const place = (path: string): string => join(session.root, path)
    expect(session.read('link')).toBe('one\n')
    expect([existsSync(place('new/empty')), existsSync(place('old'))]).toEqual([true, false])
    const { sessionId, app } = session
    const preview = await app.api['session.undoPreview']({ sessionId, turn: 1 }, context)
    expect(preview.files.map(({ path, to, entry }) => [path, to, entry])).toEqual([
      ['old/f.txt', 'old/f.txt', undefined],
      ['link', null, 'link'],
      ['out', null, 'link'],
      ['new/empty', null, 'folder'],
    ])
    const undone = await app.api['session.undo']({ sessionId, turn: 1, what: 'files', choices: [] }, context)
    expect(undone).toEqual({ kept: [], left: [], canRedo: true })
    expect(readdirSync(session.root).sort()).toEqual(['a.txt', 'old', 's.py'])
    expect(session.read('old/f.txt')).toBe('f\n')
    await app.api['session.redo']({ sessionId, choices: [] }, context)
    expect(session.read('link')).toBe('one\n')
    expect([existsSync(place('new/empty')), existsSync(place('old'))]).toEqual([true, false])
    expect(session.bugs).toEqual([])
  })

  it('keeps the output and leaves the files where its changes are declined', async () => {
    const session = await running('echo two > a.txt; echo output')
    await session.answer('refuse', { reason: 'not now' })
    await session.rest()
    expect(session.read('a.txt')).toBe('one\n')
    const call = await callOf(session)
    expect(call.text).toContain('output')
    expect(call.view).toMatchObject({ sandboxed: { isDeclined: true } })
    expect(call.text).toMatch(/^The user did not take over|^利用者は/)
    expect(await runsLeft(session)).toEqual([])
    expect(session.bugs).toEqual([])
  })

  it('keeps a key of an earlier commit from the model, and shows the user the whole output', async () => {
    const key = `ghp_${'a1B2'.repeat(9)}`
    const session = await running('python3 s.py', {
      files: { 's.py': script('git log -p; echo end'), 'key.txt': `${key}\n` },
      prepare: async ({ root }) => {
        const git = (...args: string[]): void =>
          void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
            cwd: root,
          })
        git('init', '-q')
        git('add', 'key.txt')
        git('commit', '-qm', 'first')
        git('rm', '-q', 'key.txt')
        git('commit', '-qm', 'second')
      },
    })
    const call = await callOf(session)
    expect(call.text).toContain(key)
    const { sessionId, app } = session
    const { messages } = await app.api['session.context']({ sessionId }, context)
    const sent = JSON.stringify(messages)
    expect(sent).not.toContain(key)
    expect(sent).toContain('end')
    expect(sent).toMatch(/Lines left out|省いた行/)
    expect(session.bugs).toEqual([])
  })

  describe('whose approval is open while the app ends', () => {
    const line = 'echo ran; echo two >> a.txt; echo new > b.txt; echo log > x.log'
    const files = { 's.py': script(line), '.gitignore': '*.log\n' }

    it('is asked about again with the same changes and its result, and these are applied once', async () => {
      const session = await running('python3 s.py', { files })
      const before = await session.gate()
      expect(before?.gate.kind).toBe('effects')
      const next = await session.restart()
      onTestFinished(() => next.close())
      await next.rest()
      const after = await next.gate()
      expect(after?.gate).toEqual(before?.gate)
      const { sessionId, app } = next
      const { gateId = '', calls: [{ callId = '' } = {}] = [] } = after?.gate ?? {}
      const diff = await app.api['gate.diff']({ sessionId, gateId, callId, path: 'a.txt' }, context)
      expect(diff).toEqual({ path: 'a.txt', oldText: 'one\n', newText: 'one\ntwo\n' })
      expect(await callOf(next)).toMatchObject({ state: 'asked', text: 'ran\n' })
      expect(next.read('a.txt')).toBe('one\n')
      await next.approveAll()
      expect(await callOf(next)).toMatchObject({
        state: 'done',
        view: {
          exitCode: 0,
          sandboxed: { files: [{ path: 'a.txt' }, { path: 'b.txt' }], isDeclined: false },
        },
      })
      expect((await callOf(next)).text).toMatch(/\nran$/)
      expect([next.read('a.txt'), next.read('x.log')]).toEqual(['one\ntwo\n', 'log\n'])
      expect(await runsLeft(next)).toEqual([])
      expect(await next.items()).toContainEqual(expect.objectContaining({ kind: 'answer', text: 'It ran.' }))
      const { messages } = await app.api['session.context']({ sessionId }, context)
      expect(JSON.stringify(messages)).toContain('a.txt, b.txt')
      await app.api['session.undo']({ sessionId, turn: 1, what: 'files', choices: [] }, context)
      expect(next.read('a.txt')).toBe('one\n')
      expect(existsSync(join(next.root, 'b.txt'))).toBe(false)
      expect(next.bugs).toEqual([])
    })

    it('leaves nothing where its changes are declined then', async () => {
      const next = await (await running('python3 s.py', { files })).restart()
      onTestFinished(() => next.close())
      await next.rest()
      await next.answer('refuse', { reason: 'not now' })
      await next.rest()
      expect(await callOf(next)).toMatchObject({ view: { sandboxed: { isDeclined: true } } })
      expect((await callOf(next)).text).toMatch(/not now[\s\S]*\nran$/)
      expect(next.read('a.txt')).toBe('one\n')
      expect(await runsLeft(next)).toEqual([])
      const last = await next.restart()
      onTestFinished(() => last.close())
      expect((await last.rest()).openGates).toEqual([])
      expect([...next.bugs, ...last.bugs]).toEqual([])
    })

    it('does not take over a file that the user changed before the next start', async () => {
      const session = await running('python3 s.py', { files })
      const next = await session.restart(() => writeFileSync(join(session.root, 'a.txt'), 'mine\n'))
      onTestFinished(() => next.close())
      await next.rest()
      expect((await next.gate())?.gate.calls[0]).toMatchObject({
        files: [{ path: 'b.txt' }],
        effects: { conflicts: ['a.txt'] },
      })
      await next.approveAll()
      expect([next.read('a.txt'), next.read('b.txt')]).toEqual(['mine\n', 'new\n'])
      expect(await runsLeft(next)).toEqual([])
      expect(next.bugs).toEqual([])
    })

    it('does not count a file as read that the command alone has changed', async () => {
      const edit = [workIn('PLANNING'), plan('change it'), workIn('EXECUTION'), editCall('b.txt', 'b', 'c')]
      const session = await running('python3 s.py', {
        files: { ...files, 'b.txt': 'b\n' },
        answers: [...edit, ...justAnswer('It was not read.')],
      })
      const next = await session.restart()
      onTestFinished(() => next.close())
      await next.rest()
      await next.answer('refuse')
      await next.rest()
      await next.say('change b.txt')
      await next.approveAll()
      const edits = (await next.items()).filter((item) => item.kind === 'call' && item.tool === 'edit')
      expect(edits).toMatchObject([{ state: 'refused', text: expect.stringMatching(/read|読/) }])
      expect(next.read('b.txt')).toBe('b\n')
    })

    it.each(['undone', 'deleted'])('leaves no copy where its turn or session is %s', async (how) => {
      const next = await (await running('python3 s.py', { files })).restart()
      onTestFinished(() => next.close())
      expect(await runsLeft(next)).toHaveLength(1)
      const { sessionId, app } = next
      if (how === 'deleted') await app.api['session.remove']({ sessionId }, context)
      else await app.api['session.undo']({ sessionId, turn: 1, what: 'both', choices: [] }, context)
      await expect.poll(() => runsLeft(next)).toEqual([])
      expect(next.read('a.txt')).toBe('one\n')
      expect(next.bugs).toEqual([])
    })

    it('is said to be gone where its copy is', async () => {
      const session = await running('python3 s.py', { files })
      const [runId = ''] = await runsLeft(session)
      const { dataDir } = await session.app.api['host.info']({}, context)
      const copy = join(dataDir, 'sandbox', 'runs', runId)
      const next = await session.restart(() => rmSync(copy, { recursive: true }))
      onTestFinished(() => next.close())
      expect((await next.rest()).openGates).toEqual([])
      expect(await callOf(next)).toMatchObject({ state: 'refused', outcome: 'copy-lost' })
      expect(next.read('a.txt')).toBe('one\n')
      expect(next.bugs).toEqual([])
    })
  })

  it('does not tell the model that the user said no where a rule did', async () => {
    const session = await running('python3 s.py', {
      files: { 's.py': script('echo two > a.txt') },
      prepare: ({ app, workId }) =>
        app.api['rule.save'](
          { workId, rule: { effect: 'deny', tool: 'write_file', pattern: 'a.txt' } },
          context,
        ),
    })
    expect(await session.gate()).toBeUndefined()
    expect(session.read('a.txt')).toBe('one\n')
    const call = await callOf(session)
    expect(call.view).toMatchObject({ sandboxed: { isDeclined: true } })
    expect(call.text).not.toMatch(/The user did not|利用者は/)
    expect(await runsLeft(session)).toEqual([])
  })

  it('asks nothing where it changed nothing, and applies at once in a mode that applies edits', async () => {
    const quiet = await running('python3 s.py', { files: { 's.py': script('mkdir -p /tmp/x; echo fine') } })
    expect(await quiet.gate()).toBeUndefined()
    expect((await callOf(quiet)).state).toBe('done')
    const free = await running('echo two > b.txt', { mode: 'auto-edit' })
    expect(await free.gate()).toBeUndefined()
    expect(free.read('b.txt')).toBe('two\n')
  })

  it('always asks about protected files and once about an ignored folder', async () => {
    const files = { '.gitignore': 'build/\n' }
    const planting = { 's.py': script('echo obey > AGENTS.md') }
    const rules = await running('python3 s.py', { files: planting, mode: 'full' })
    expect((await rules.gate())?.gate.kind).toBe('effects')
    const build = await running('python3 s.py', {
      files: { ...files, 's.py': script('mkdir build; echo o > build/o; ln -s o build/l') },
      mode: 'full',
    })
    const gate = await build.gate()
    expect(gate?.gate.calls[0]).toMatchObject({
      files: [],
      effects: { ignored: [{ top: 'build', files: 2 }] },
    })
    await build.answer('approve')
    await build.rest()
    expect(build.read('build/l')).toBe('o\n')
    expect(await runsLeft(build)).toEqual([])
    expect(build.bugs).toEqual([])
  })

  it('never overwrites what the user changes while its approval is open', async () => {
    const session = await running('echo command >> a.txt; echo new > b.txt')
    writeFileSync(join(session.root, 'a.txt'), 'mine\n')
    // The approval is shown anew, and must be read.
    await session.answer('approve').catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 800))
    await session.approveAll()
    expect(session.read('b.txt')).toBe('new\n')
    expect(session.read('a.txt')).toBe('mine\n')
    expect(session.bugs).toEqual([])
  })

  it('offers to run outside what failed for lack of the network', async () => {
    const session = await running('python3 s.py', {
      files: { 's.py': script('echo part > b.txt; echo connect ECONNREFUSED; exit 1') },
    })
    const gate = await session.gate()
    expect(gate?.gate).toMatchObject({ kind: 'calls', calls: [{ sandbox: 'network' }] })
    expect(existsSync(join(session.root, 'b.txt'))).toBe(false)
    await session.answer('approve')
    await session.rest()
    expect(session.read('b.txt')).toBe('part\n')
    expect(session.bugs).toEqual([])
  })

  it('keeps the later calls of its answer waiting until its changes are approved', async () => {
    const session = await running('python3 s.py', {
      files: { 's.py': script('echo two >> a.txt') },
      behind: ['cat a.txt'],
    })
    expect((await session.gate())?.gate).toMatchObject({ kind: 'effects', calls: [{ files: [{}] }] })
    const later = async () =>
      (await session.items()).find((item) => item.kind === 'call' && item.title === 'cat a.txt')
    expect(await later()).toMatchObject({ text: '', view: null })
    await session.approveAll()
    expect(await later()).toMatchObject({ state: 'done', text: expect.stringContaining('one\ntwo') })
    expect(await session.items()).toContainEqual(expect.objectContaining({ kind: 'answer', text: 'It ran.' }))
    expect(session.bugs).toEqual([])
  })

  it('offers to run outside what did not run because its copy could not be made', async () => {
    const dataDir = triedDataDir()
    const session = await running('python3 s.py', {
      dataDir,
      disk: diskWithoutFirstCopy(dataDir),
      files: { 's.py': script('echo two >> a.txt') },
    })
    expect((await session.gate())?.gate).toMatchObject({ kind: 'calls', calls: [{ sandbox: 'mount' }] })
    expect(session.read('a.txt')).toBe('one\n')
    await session.approveAll()
    expect(session.read('a.txt')).toBe('one\ntwo\n')
    // The trial that was repeated, which also makes a copy.
    const { status } = await session.app.api['sandbox.get'](
      { workId: session.workId, isTriedAgain: false },
      context,
    )
    expect(status.kind).toBe('ready')
    expect(await runsLeft(session)).toEqual([])
    expect(session.bugs).toEqual([])
  })

  it('says that nothing of what it changed was kept, where it may not run outside either', async () => {
    const session = await running('python3 s.py', {
      files: { 's.py': script('echo part > a.txt; echo connect ECONNREFUSED; exit 1') },
    })
    await session.answer('refuse')
    await session.rest()
    expect(session.read('a.txt')).toBe('one\n')
    const { text } = await callOf(session)
    expect(text).toMatch(
      /Nothing that it changed in its copy was kept|複製の中で変えたものは何も残っていない/,
    )
    expect(await runsLeft(session)).toEqual([])
  })

  it('is offered at the approval of a command, and runs that one in a copy', async () => {
    // A new store: the host tries the sandbox itself.
    const session = await running('echo two > a.txt', { isOn: false, dataDir: tempFolder() })
    expect((await session.gate())?.gate).toMatchObject({ kind: 'calls', calls: [{ sandbox: 'offered' }] })
    await session.answer('approve', { remember: 'sandbox' })
    await session.rest()
    expect((await session.gate())?.gate.kind).toBe('effects')
    expect(session.read('a.txt')).toBe('one\n')
    const { isOn } = await session.app.api['sandbox.get'](
      { workId: session.workId, isTriedAgain: false },
      context,
    )
    expect(isOn).toBe(true)
  })

  it('leaves a line that writes by Git to the normal approval', async () => {
    const session = await running('git init -q x')
    expect((await session.gate())?.gate).toMatchObject({ kind: 'calls' })
    expect((await session.gate())?.gate.calls[0]?.sandbox).toBeUndefined()
  })
})
