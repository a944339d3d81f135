import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placeOnDisk } from '../../../tests/fakes/disks/on-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { type GateRig, gateRig, yes } from '../../../tests/fakes/rigs/gate-rig.ts'
import type { AgentMode } from '../../shared/domain/session/agent-step.ts'
import { heldRules, isFreeToRead } from './rules/rules.ts'

placeOnDisk()

const reason = 'because'
type Rig = GateRig & { lib: string }

/** A session that works in a folder of its own and in an added one. */
async function rig(
  options: { mode?: AgentMode; isTrusted?: boolean; trustsLib?: boolean } = {},
): Promise<Rig> {
  const gates = await gateRig(options)
  const lib = tempFolder()
  mkdirSync(join(lib, 'src'))
  for (const path of ['a.txt', 'src/a.txt', '.env']) writeFileSync(join(lib, path), 'one\n')
  gates.tools.write('src/a.txt', 'one\n')
  gates.tools.added.push(lib)
  gates.gates.setFolders(gates.context.sessionId, [lib])
  if (options.trustsLib) gates.trust.set(lib, true)
  return Object.assign(gates, { lib })
}

/** Returns what let a call pass, why it was denied, or `asked`. */
async function verdict({ gates, tools, context }: Rig, name: string, args: object): Promise<string> {
  const call = await tools.call(name, { reason, ...args })
  const finding = await gates.ask(context, [call], '')
  for (const gate of finding.gates) gates.withdraw(context.sessionId, gate.gateId)
  const [record] = finding.records
  return record !== undefined ? `${record.by} ${record.name}` : (finding.denied[0]?.reason ?? 'asked')
}

const read = (path: string): [string, object] => ['read_file', { path, reason: undefined }]
const write = (path: string): [string, object] => ['write_file', { path, content: 'new\n' }]
const run = (line: string, folder = '.'): [string, object] => ['run_command', { line, folder }]

describe('calls in a folder that was added', () => {
  it('read without a question, secrets aside, and change by the mode where it is trusted', async () => {
    const one = await rig({ mode: 'auto-edit', trustsLib: true })
    expect(await verdict(one, ...read(`${one.lib}/a.txt`))).toBe('rule scope')
    expect(await verdict(one, ...read(`${one.lib}/.env`))).toBe('asked')
    expect(await verdict(one, ...write(`${one.lib}/new.txt`))).toBe('mode auto-edit')
    expect(await verdict(one, ...write(`${one.lib}/.git/hooks/pre-commit`))).toBe('asked')
    expect(await verdict(one, ...write(`${one.lib}/AGENTS.md`))).toBe('asked')
    expect(await verdict(one, ...write(`${one.lib}/x.exe`))).toContain('x.exe')
  })

  it('are asked about one by one where it is not trusted, and no command runs there', async () => {
    const one = await rig({ mode: 'full' })
    expect(await verdict(one, ...read(`${one.lib}/a.txt`))).toBe('rule scope')
    expect(await verdict(one, ...write(`${one.lib}/new.txt`))).toBe('asked')
    expect(await verdict(one, ...write('new.txt'))).toBe('mode full')
    expect(await verdict(one, ...run('ls', one.lib))).toContain('trust')
    expect(await verdict(one, ...run(`cat ${one.lib}/a.txt`))).toBe('asked')
  })

  it('run by the trust of that folder alone', async () => {
    const one = await rig({ mode: 'full', isTrusted: false, trustsLib: true })
    expect(await verdict(one, ...run('make', one.lib))).toBe('mode full')
    expect(await verdict(one, ...run('make'))).toContain('trust')
  })

  it('may name files of either folder in a command; what lies elsewhere is asked about', async () => {
    const one = await rig({ mode: 'full', trustsLib: true })
    expect(await verdict(one, ...run(`cat ${one.lib}/a.txt`))).toBe('grant read-only')
    expect(await verdict(one, ...run(`touch ${one.lib}/new.txt`))).toBe('mode full')
    expect(await verdict(one, ...run('touch new.txt', one.lib))).toBe('mode full')
    expect(await verdict(one, ...run(`cat ${one.lib}/.env`))).toBe('asked')
    expect(await verdict(one, ...run('cat .env', one.lib))).toBe('asked')
    expect(await verdict(one, ...run('cat .e*', one.lib))).toBe('asked')
    expect(await verdict(one, ...run('touch ../elsewhere.txt', one.lib))).toBe('asked')
    expect(await verdict(one, ...run(`touch ${tempFolder()}/x`, one.lib))).toBe('asked')
  })

  it('are always asked about where the folder is no longer the session’s', async () => {
    const one = await rig({ mode: 'full', trustsLib: true })
    one.gates.setFolders(one.context.sessionId, [])
    expect(await verdict(one, ...write(`${one.lib}/new.txt`))).toBe('asked')
    expect(await verdict(one, ...read(`${one.lib}/a.txt`))).toBe('asked')
  })
})

describe('rules of several folders', () => {
  it('of the session’s own: what they refuse, they refuse in the added one; what they allow, they do not', async () => {
    const one = await rig({ trustsLib: true })
    const { rules, tools, lib } = one
    rules.saveForFolder(tools.root, { effect: 'allow', tool: null, pattern: 'src/**' })
    rules.saveForFolder(tools.root, { effect: 'allow', tool: 'run_command', pattern: 'make' })
    expect(await verdict(one, ...write('src/new.txt'))).toBe('rule src/**')
    expect(await verdict(one, ...write(`${lib}/src/new.txt`))).toBe('asked')
    expect(await verdict(one, ...run('make'))).toBe('rule make')
    expect(await verdict(one, ...run('make', lib))).toBe('asked')
    rules.saveForFolder(tools.root, { effect: 'deny', tool: null, pattern: 'src/a.txt' })
    expect(await verdict(one, ...read(`${lib}/src/a.txt`))).toContain('src/a.txt')
    expect(await verdict(one, ...read(`${lib}/a.txt`))).toBe('rule scope')
  })

  it('of the added one: its own file keeps back what lies in it, whoever names it', async () => {
    const one = await rig({ mode: 'full', trustsLib: true })
    const { lib, gates, context } = one
    mkdirSync(join(lib, '.tsugi'))
    const held = { rules: [{ effect: 'deny', pattern: 'src/**' }] }
    writeFileSync(join(lib, '.tsugi', 'rules.json'), JSON.stringify(held))
    expect(await verdict(one, ...read(`${lib}/src/a.txt`))).toContain('src/**')
    expect(await verdict(one, ...read('src/a.txt'))).toBe('rule scope')
    expect(await verdict(one, ...run(`cat ${lib}/src/a.txt`))).toContain('src/**')
    const isFree = await gates.readFilter(context)
    expect([`${lib}/src/a.txt`, `${lib}/a.txt`, 'src/a.txt'].map(isFree)).toEqual([false, true, true])
  })

  it('are made for the folder that was asked about', async () => {
    const one = await rig({ trustsLib: true })
    const { gates, tools, context, lib, rules } = one
    const ask = async (path: string) => {
      const call = await tools.call('write_file', { path, content: 'x\n', reason })
      const [gate] = (await gates.ask(context, [call], '')).gates
      return gate?.gateId ?? ''
    }
    const first = await ask(`${lib}/src/new.txt`)
    expect(gates.view(context.sessionId, first).calls[0]).toMatchObject({ patterns: [`${lib}/src/**`] })
    await gates.answer(context, yes(one, first, { remember: 'always' }))
    expect((await rules.list(lib)).map(({ pattern }) => pattern)).toEqual(['src/**', 'src/**'])
    expect(await rules.list(tools.root)).toEqual([])
    expect(await verdict(one, ...write(`${lib}/src/other.txt`))).toBe('rule src/**')
    expect(await verdict(one, ...write('src/other.txt'))).toBe('asked')

    const top = await ask(`${lib}/top.txt`)
    expect(gates.view(context.sessionId, top).calls[0]).toMatchObject({ patterns: [`${lib}/top.txt`] })
    await gates.answer(context, yes(one, top, { remember: 'session' }))
    expect(await verdict(one, ...write(`${lib}/top.txt`))).toBe(`rule ${lib}/top.txt`)
    expect(await verdict(one, ...write('top.txt'))).toBe('asked')
  })

  it('hold a path apart that only looks like one of another folder', () => {
    const rule = { ruleId: '1', effect: 'deny', tool: null, pattern: 'a/**', scope: 'project' } as const
    const held = heldRules([], [{ root: '/x/lib', rules: [rule] }], null)
    expect(isFreeToRead('/x/lib/a/b', held)).toBe(false)
    expect(isFreeToRead('/x/library/a/b', held)).toBe(true)
    expect(isFreeToRead('a/b', held)).toBe(true)
  })
})

describe('gates about an added folder', () => {
  it('watch its files, and are void when one changes', async () => {
    const one = await rig()
    const { gates, tools, context, lib } = one
    await tools.run('read_file', { path: `${lib}/a.txt` })
    const call = await tools.call('edit', { path: `${lib}/a.txt`, old_text: 'one', new_text: 'ONE', reason })
    const [gate] = (await gates.ask(context, [call], '')).gates
    writeFileSync(join(lib, 'a.txt'), 'something else\n')
    const answered = await gates.answer(context, yes(one, gate?.gateId ?? ''))
    expect(answered).toEqual({ kind: 'void', items: null })
  })

  it('do not outlive the trust of the folder for a command', async () => {
    const one = await rig({ trustsLib: true })
    const { gates, tools, context, trust, lib } = one
    const call = await tools.call('run_command', { line: 'make', folder: lib, reason })
    const [gate] = (await gates.ask(context, [call], '')).gates
    const answer = yes(one, gate?.gateId ?? '')
    trust.set(lib, false)
    expect(await gates.answer(context, answer)).toMatchObject({ kind: 'rejected' })
  })
})
