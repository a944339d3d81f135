import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { gateRig } from '../../../../tests/fakes/rigs/gate-rig.ts'
import { preparedCalls } from '../../../../tests/fakes/rigs/gated-calls.ts'
import { readProjectRules } from './project-rules.ts'

const allow = { effect: 'allow', tool: 'run_command', pattern: 'npm test' } as const
const deny = { effect: 'deny', tool: null, pattern: 'git push' } as const

describe("a project's own rules", () => {
  it('can only tighten', () => {
    const { rules, problems } = readProjectRules(
      JSON.stringify({ rules: [allow, deny, { effect: 'ask', pattern: 'docs/**' }] }),
    )
    expect(rules).toEqual([
      { ...deny, ruleId: 'project-1', scope: 'project' },
      { effect: 'ask', tool: null, pattern: 'docs/**', ruleId: 'project-2', scope: 'project' },
    ])
    expect(problems).toEqual([{ kind: 'allow-ignored', pattern: 'npm test' }])
  })

  it.each([
    ['', 'no-json', ''],
    ['{', 'no-json', ''],
    ['[]', 'no-rules', ''],
    ['{"rules": [{"effect": "permit", "pattern": "x"}]}', 'no-rules', 'rules[0].effect'],
    ['{"rules": {}}', 'no-rules', 'rules'],
  ])('that nobody can read let nothing but reading pass, and say where: %s', (text, reason, detail) => {
    const { rules, problems } = readProjectRules(text)
    expect(problems).toEqual([{ kind: 'unreadable', reason, detail }])
    expect(rules.map(({ effect, tool }) => [effect, tool])).toEqual([
      ['ask', 'edit'],
      ['ask', 'write_file'],
      ['ask', 'delete_file'],
      ['ask', 'move_file'],
      ['ask', 'run_command'],
      ['ask', 'web_fetch'],
      ['ask', 'mcp'],
    ])
  })

  it('are told to who watches, when their folder comes, when they change and when it goes', async () => {
    const rig = await gateRig()
    const { root } = rig.context
    const end = new AbortController()
    const told = rig.rules.watch(root, end.signal)
    expect((await told.next()).value).toEqual([])
    rig.tools.write('.tsugi/rules.json', 'broken')
    rig.touch('.')
    expect((await told.next()).value).toEqual([{ kind: 'unreadable', reason: 'no-json', detail: '' }])
    rig.tools.write('.tsugi/rules.json', JSON.stringify({ rules: [deny] }))
    rig.touch('.tsugi/rules.json')
    // The file is valid again, so the list of problems is empty.
    expect((await told.next()).value).toEqual([])
    rig.touch('.tsugi/rules.json')
    rig.tools.write('.tsugi/rules.json', JSON.stringify({ rules: [allow, deny] }))
    rig.touch('.tsugi/rules.json')
    expect((await told.next()).value).toEqual([{ kind: 'allow-ignored', pattern: 'npm test' }])
    rmSync(join(root, '.tsugi'), { recursive: true })
    rig.touch('.')
    expect((await told.next()).value).toEqual([])
    end.abort()
    expect(await told.next()).toEqual({ done: true, value: undefined })
    expect(rig.watched()).toEqual([])
  })

  it('hold as soon as they are written, also where nobody trusts the folder', async () => {
    const rig = await gateRig({ mode: 'full', isTrusted: false })
    const { root } = rig.context
    expect(await rig.rules.list(root)).toEqual([])
    rig.tools.write(
      '.tsugi/rules.json',
      `\uFEFF${JSON.stringify({ rules: [allow, { ...deny, pattern: 'a.txt' }] })}`,
    )
    expect(await rig.rules.list(root)).toMatchObject([{ effect: 'deny', scope: 'project', pattern: 'a.txt' }])
    expect(await rig.rules.problems(root)).toHaveLength(1)
    const calls = await preparedCalls(rig, ['write_file', { path: 'a.txt', content: 'x', reason: 'r' }])
    expect((await rig.gates.ask(rig.context, calls, '')).denied).toHaveLength(1)
    rig.tools.write('.tsugi/rules.json', 'broken')
    expect((await rig.gates.ask(rig.context, calls, '')).gates).toHaveLength(1)
    expect(await rig.rules.problems(root)).toMatchObject([{ kind: 'unreadable' }])
  })

  it('behind a link to elsewhere count as unreadable', async () => {
    const rig = await gateRig()
    const { root } = rig.context
    const outside = join(tempFolder(), 'rules.json')
    writeFileSync(outside, '{"rules": []}')
    rig.tools.write('.tsugi/readme', '')
    symlinkSync(outside, join(root, '.tsugi/rules.json'))
    expect(await rig.rules.problems(root)).toMatchObject([{ kind: 'unreadable', reason: 'outside' }])
  })
})

describe('rules', () => {
  it('are those of the session, the folder and the project, and go by their id', async () => {
    const rig = await gateRig()
    const { root } = rig.context
    const inFolder = rig.rules.saveForFolder(root, deny)
    const inSession = rig.rules.saveForSession('s1', allow)
    expect(rig.rules.saveForSession('s1', allow)).toEqual(inSession)
    rig.tools.write('.tsugi/rules.json', JSON.stringify({ rules: [{ effect: 'ask', pattern: 'x' }] }))
    expect((await rig.rules.list(root, 's1')).map(({ scope }) => scope)).toEqual([
      'session',
      'folder',
      'project',
    ])
    expect((await rig.rules.list(root)).map(({ scope }) => scope)).toEqual(['folder', 'project'])
    rig.rules.remove(root, inSession.ruleId)
    expect(rig.rules.sessionRules('s1')).toEqual([inSession])
    for (const ruleId of [inSession.ruleId, inFolder.ruleId, 'project-0'])
      rig.rules.remove(root, ruleId, 's1')
    expect((await rig.rules.list(root, 's1')).map(({ scope }) => scope)).toEqual(['project'])
  })
})

describe('the trust in a folder', () => {
  it('is told to whoever watches it', async () => {
    const rig = await gateRig({ isTrusted: false })
    const { root } = rig.context
    const end = new AbortController()
    const seen: boolean[] = []
    const heard: unknown[] = []
    const stop = rig.trust.onChange((...change) => heard.push(change))
    const watching = (async () => {
      for await (const { isTrusted } of rig.trust.watch(root, end.signal)) {
        seen.push(isTrusted)
        if (seen.length === 3) end.abort()
      }
    })()
    rig.trust.set('/elsewhere', true)
    rig.trust.set(root, true)
    rig.trust.set(root, false)
    await watching
    expect(seen).toEqual([false, true, false])
    expect(heard).toHaveLength(3)
    stop()
    rig.trust.set(root, true)
    expect(heard).toHaveLength(3)
  })

  it('decides about commands, and is lost with the place', async () => {
    const rig = await gateRig()
    const calls = await preparedCalls(rig, ['run_command', { line: 'ls', reason: 'r' }])
    expect((await rig.gates.ask(rig.context, calls, '')).records).toHaveLength(1)
    const moved = `${rig.context.root}-moved`
    renameSync(rig.context.root, moved)
    const found = await rig.gates.ask({ ...rig.context, root: moved }, calls, '')
    renameSync(moved, rig.context.root)
    expect(found.denied).toHaveLength(1)
  })
})
