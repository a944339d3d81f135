import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { placeOnDisk } from '../../fakes/disks/on-disk.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { approve, calls, longAnswer, noCalls, plan, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { approveGate, editPort, openRoom } from '../../fakes/sessions/speculation-room.ts'
import { requestsOf } from '../../fakes/sessions/suggestion-watch.ts'

placeOnDisk()

const context = { signal: new AbortController().signal }

it('accepted at a command: what is finished is applied, and the command is asked about as in any turn', async () => {
  const command = calls(['run_command', { line: 'npm test', reason: 'see it' }])
  const room = await openRoom(editPort(command))
  const { host, speculations, llama } = room
  const link = await speculations.becomes({
    phase: 'boundary',
    boundary: { kind: 'shell', title: 'npm test' },
  })
  const before = llama.requests.length
  await speculations.accept(link)
  const asking = await speculations.becomes({ accepting: { step: 'gate', gate: expect.anything() } })
  if (asking.accepting?.step !== 'gate') throw new Error('no gate')
  const { gateId, calls: shown } = asking.accepting.gate
  const answers = shown.map(({ callId, hash }) => ({
    callId,
    shownHash: hash,
    isApproved: true,
    refusedHunks: [],
  }))
  const answer = { gateId, sincePaintedMs: 1000, verdict: 'approve', reason: null, remember: null } as const
  expect(await speculations.decide(asking, { kind: 'gate', answer: { ...answer, answers } })).toBe(true)
  expect(await speculations.gone()).toBe('accepted')
  expect(host.read('src/app.ts')).toContain('port = 2')
  await expect.poll(async () => (await host.gate())?.gate.calls[0]?.command?.line).toBe('npm test')
  // Not back to the model.
  expect(llama.requests.slice(before).length).toBe(0)
  const items = await host.items()
  expect(items.find((item) => item.kind === 'user' && item.speculatedBy !== undefined)).toBeDefined()
})

it('accepted while it runs: the turn is in the conversation, and goes on there', async () => {
  const room = await openRoom([workIn('PLANNING'), { say: 'I look.' }, longAnswer])
  const { host, speculations, llama, mind } = room
  const link = await speculations.becomes({ phase: 'running', turns: 2 })
  await expect.poll(() => llama.pendingCount).toBe(1)
  mind.think({ decide: {} }, { say: 'Done.' })
  const before = await host.items()
  expect(await speculations.accept(link)).toBe(true)
  expect(await speculations.gone()).toBe('accepted')
  await host.rest()
  const items = await host.items()
  // What was cut off is asked for once more, by the session itself.
  const ends = (await requestsOf(host))
    .filter(({ purpose }) => purpose === 'speculation')
    .map(({ end }) => end)
  expect(ends.at(-1)).toBe('stopped')
  const said = items.flatMap((item) => (item.kind === 'answer' ? [[item.text.trim(), item.state]] : []))
  expect(said.slice(-2)).toEqual([
    ['I look.', 'finished'],
    ['Done.', 'finished'],
  ])
  const isMessage = ({ kind }: { kind: string }): boolean => kind === 'user'
  expect(items.filter(isMessage).length).toBe(before.filter(isMessage).length + 1)
  expect(mind.left).toEqual([])
})

it('accepted when its private folder is gone: nothing is written, the reason is said, and it can be run again', async () => {
  const room = await openRoom(editPort({ decide: {} }, { say: 'Done.' }))
  const { host, speculations, mind } = room
  const link = await speculations.becomes({ phase: 'completed', onAccept: 'ask' })
  const overlays = join((await host.app.api['host.info']({}, context)).dataDir, 'overlays')
  for (const name of readdirSync(overlays)) rmSync(join(overlays, name), { recursive: true })
  const before = await host.items()
  expect(await speculations.accept(link)).toBe(true)
  await speculations.becomes({ accepting: null, failure: { code: 'speculation/files-gone' } })
  expect(host.read('src/app.ts')).toContain('port = 1')
  expect(await host.items()).toEqual(before)
  mind.think(...editPort({ decide: {} }, { say: 'Done.' }))
  const { sessionId } = host
  const { speculationId } = link
  await host.app.api['speculation.rerun']({ sessionId, speculationId }, context)
  const again = await speculations.becomes({ phase: 'completed', onAccept: 'ask' })
  expect(again.speculationId).not.toBe(speculationId)
})

it('accepted while somebody replaces a file: theirs stays, and the conversation opens it beside what was wanted', async () => {
  const theirs = 'export const port = 9\n'
  const disk: typeof nodeDisk = {
    ...nodeDisk,
    async rename(from, to, replaced) {
      if (replaced !== undefined && to.endsWith('app.ts')) {
        const saved = join(tempFolder(), 'saved')
        writeFileSync(saved, theirs)
        renameSync(saved, to)
      }
      return nodeDisk.rename(from, to, replaced)
    },
  }
  const room = await openRoom(editPort({ decide: {} }, { say: 'Done.' }), { disk })
  const { host, speculations } = room
  const { sessionId } = host
  await speculations.accept(await speculations.becomes({ phase: 'completed' }))
  await approveGate(room)
  expect(await speculations.gone()).toBe('accepted')
  expect(host.read('src/app.ts')).toBe(theirs)
  const left = (await host.items()).find(
    (item) => item.kind === 'notice' && item.notice.kind === 'left-alone',
  )
  expect(left).toMatchObject({ notice: { paths: ['src/app.ts'] } })
  const file = { sessionId, itemId: left?.itemId ?? '', path: 'src/app.ts' }
  expect(await host.app.api['session.leftFile'](file, context)).toEqual({
    current: theirs,
    wanted: 'export const port = 2\nexport const host = "a"\n',
  })
})

/** An acceptance that waits at its gate. */
async function atGate() {
  const room = await openRoom(editPort({ decide: {} }, { say: 'Done.' }))
  const { speculations } = room
  const link = await speculations.becomes({ phase: 'completed' })
  expect(await speculations.accept(link)).toBe(true)
  const asking = await speculations.becomes({ accepting: { step: 'gate', gate: expect.anything() } })
  if (asking.accepting?.step !== 'gate') throw new Error('no gate')
  const { gateId } = asking.accepting.gate
  const { host } = room
  const send = (text: string, more: { dropsSpeculation?: boolean } = {}) =>
    host.app.api['session.send'](
      {
        sessionId: host.sessionId,
        segments: [{ kind: 'text', text }],
        how: 'send',
        gate: { gateId, sincePaintedMs: 2_000 },
        ...(more.dropsSpeculation ? { dropsSpeculation: true } : {}),
      },
      { signal: new AbortController().signal },
    )
  return { ...room, send, link }
}

it('a typed yes at the gate of an acceptance answers that gate, and no message is sent', async () => {
  const { host, speculations, send } = await atGate()
  const before = (await host.items()).filter(({ kind }) => kind === 'user').length
  expect(await send('yes')).toEqual({ became: 'approval' })
  expect(await speculations.gone()).toBe('accepted')
  expect(host.read('src/app.ts')).toContain('port = 2')
  const users = (await host.items()).filter(({ kind }) => kind === 'user')
  expect(users.length).toBe(before + 1)
  expect(users.at(-1)).toMatchObject({ speculatedBy: expect.any(String) })
})

it('a typed no refuses it, with its reason', async () => {
  const { host, speculations, send } = await atGate()
  expect(await send('no, leave the port alone')).toEqual({ became: 'refusal' })
  await speculations.gone()
  expect(host.read('src/app.ts')).toContain('port = 1')
  const items = await host.items()
  const gates = items.filter((item) => item.kind === 'gate')
  expect(gates.at(-1)).toMatchObject({ state: 'rejected', reason: 'no, leave the port alone' })
  // No file of it stands in the conversation.
  const edits = items.filter((item) => item.kind === 'call' && item.tool === 'edit')
  expect(edits).toMatchObject([{ view: { kind: 'change', files: [] } }])
})

it('another message at the gate asks first, and gives the work up only when told so', async () => {
  const { host, speculations, send, mind } = await atGate()
  await expect(send('what is a port?')).rejects.toMatchObject({ info: { code: 'speculation/asking' } })
  await speculations.becomes({ accepting: { step: 'gate', gate: expect.anything() } })
  mind.think({ decide: {} }, { say: 'A number.' })
  expect(await send('what is a port?', { dropsSpeculation: true })).toEqual({ became: 'message' })
  expect(await speculations.gone()).toBe('left')
  await host.rest()
  expect(host.read('src/app.ts')).toContain('port = 1')
})

it('what accepting it would do is said anew when the mode changes', async () => {
  const { host, speculations } = await openRoom(editPort({ decide: {} }, { say: 'Done.' }))
  await speculations.becomes({ phase: 'completed', onAccept: 'ask' })
  const setMode = (mode: 'ask' | 'full') =>
    host.app.api['session.setMode']({ sessionId: host.sessionId, mode }, context)
  await setMode('full')
  await speculations.becomes({ onAccept: 'write' })
  await setMode('ask')
  await speculations.becomes({ onAccept: 'ask' })
})

it('a session that is removed while an acceptance asks takes the work with it', async () => {
  const { host, speculations } = await atGate()
  const { dataDir } = await host.app.api['host.info']({}, context)
  const left = () =>
    readdirSync(join(dataDir, 'overlays')).flatMap((id) => readdirSync(join(dataDir, 'overlays', id)))
  expect(left()).toHaveLength(1)
  await host.app.api['session.remove']({ sessionId: host.sessionId }, context)
  expect(await speculations.gone()).toBe('left')
  await expect.poll(left).toEqual([])
  expect(host.read('src/app.ts')).toContain('port = 1')
})

it('after a take-over new files are offered behind @, and the model hears what happened meanwhile', async () => {
  const write = calls(['write_file', { path: 'src/fresh.ts', content: 'export {}\n', reason: 'as asked' }])
  const room = await openRoom([workIn('PLANNING'), plan('add it'), workIn('EXECUTION'), write, noCalls])
  const { host, speculations, llama, mind } = room
  const { app, sessionId, workId } = host
  const context = { signal: new AbortController().signal }
  const complete = async () => {
    const query = { workId, query: 'fresh', limit: 20, openPaths: [] }
    const { candidates } = await app.api['reference.complete'](query, context)
    return candidates.map(({ path }) => path)
  }
  const link = await speculations.becomes({ phase: 'completed' })
  expect(await complete()).toEqual([])
  const beside = tempFolder()
  writeFileSync(join(beside, 'AGENTS.md'), 'Write in blue.\n')
  await app.api['session.addFolder']({ sessionId, path: beside, isTrusted: true }, context)
  expect(await speculations.accept(link)).toBe(true)
  const { accepting } = await speculations.becomes({ accepting: { step: 'gate', gate: expect.anything() } })
  if (accepting?.step !== 'gate') throw new Error('no gate')
  const gate = { gateId: accepting.gate.gateId, sincePaintedMs: 2_000 }
  const yes = [{ kind: 'text' as const, text: 'yes' }]
  await app.api['session.send']({ sessionId, segments: yes, how: 'send', gate }, context)
  expect(await speculations.gone()).toBe('accepted')
  await expect.poll(complete).toEqual(['src/fresh.ts'])
  mind.think({ decide: {} }, { say: 'Yes.' })
  await host.say('and now?')
  await host.rest()
  const asked = llama.requests
    .map(({ body }) => JSON.stringify(body ?? null))
    .filter((body) => body.includes('and now?'))
  expect(asked[0]).toContain('Write in blue.')
})

it('an undo while the next run stands finished is told to the model after that run was accepted', async () => {
  const write = calls(['write_file', { path: 'src/fresh.ts', content: 'export {}\n', reason: 'as asked' }])
  const fresh = [workIn('PLANNING'), plan('add it'), workIn('EXECUTION'), write, noCalls, approve]
  const room = await openRoom([...editPort(), approve, ...fresh], { next: 'add a file' })
  const { host, speculations, llama, mind } = room
  await speculations.accept(await speculations.becomes({ phase: 'completed', next: 'add a file' }))
  await approveGate(room)
  const next = await speculations.becomes({ text: 'add a file', phase: 'completed' })
  expect(host.read('src/app.ts')).toContain('port = 2')
  const undone = { sessionId: host.sessionId, turn: 3, what: 'files' as const, choices: [] }
  await host.app.api['session.undo'](undone, context)
  expect(host.read('src/app.ts')).toContain('port = 1')
  expect(await speculations.accept(next)).toBe(true)
  const stale = await speculations.becomes({
    accepting: { step: 'stale', paths: ['src/app.ts'], hasMore: false },
  })
  await speculations.decide(stale, { kind: 'go-on' })
  await approveGate(room)
  expect(await speculations.gone()).toBe('accepted')
  expect(host.read('src/fresh.ts')).toBe('export {}\n')
  mind.think({ decide: {} }, { say: 'Yes.' })
  await host.say('and now?')
  await host.rest()
  const asked = llama.requests
    .map(({ body }) => JSON.stringify(body ?? null))
    .find((body) => body.includes('and now?'))
  expect(asked).toContain('The user took back')
})
