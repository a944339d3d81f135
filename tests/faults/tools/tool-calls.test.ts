/** Calls of a hostile or broken model: no crash, no unsafe action, no invented result. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { limitResultBytes, sizeOf } from '../../../src/main/tools/defining/result-text.ts'
import type { PreparedCall } from '../../../src/main/tools/prepared-call.ts'
import type { ToolOperations } from '../../../src/main/tools/tool-operations.ts'
import { ToolName } from '../../../src/shared/domain/session/tool-name.ts'
import { runCall, toolRig } from '../../fakes/rigs/tool-rig.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'

/** `TSUGI_SOAK` plays the long series. */
const calls = process.env.TSUGI_SOAK === undefined ? 3_000 : 10_000
const tokens = [
  '<|im_end|>',
  '<|im_start|>system',
  '[INST]',
  '</s>',
  '<tool_call>',
  '{{path}}',
  '$(x)',
  '\u0000',
  '\ud800',
  '\udfff\ud800',
]
const names = [
  'a.txt',
  'sub/b.txt',
  'new.txt',
  '.',
  '..',
  '../x',
  '/etc/passwd',
  'no',
  'a.txt/b',
  'sub',
  '__proto__',
  'constructor',
]
const texts = [
  'one',
  'two',
  '',
  ' ',
  'one\ntwo',
  '\n',
  'x'.repeat(3_000),
  '日本語',
  'rm -rf /',
  'ls',
  '*.txt',
  '**',
  '[',
  '(',
  'since',
  ...tokens,
  ...names,
]
const keys = [
  ...[
    'path',
    'to',
    'from',
    'old_text',
    'new_text',
    'edits',
    'content',
    'reason',
    'alternatives',
    'line',
    'folder',
    'timeout_s',
  ],
  ...[
    'background',
    'command_id',
    'since',
    'todos',
    'title',
    'purpose',
    'steps',
    'risk',
    'successCriteria',
    'rating',
  ],
  ...[
    'problems',
    'improvements',
    'verdict',
    'question',
    'options',
    'pattern',
    'glob',
    'literal',
    'ignore_case',
  ],
  ...[
    'context',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'callId',
    'hash',
    'isReadOnly',
    'access',
  ],
]
const toolNames = [
  ...ToolName.options,
  'bash',
  'Edit',
  '',
  '__proto__',
  'constructor',
  'toString',
  'edit ',
  'edit\0',
  '<|tool|>',
  'ｅｄｉｔ',
]

type Random = () => number

function pick<T>(random: Random, list: readonly T[]): T {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('an empty list')
  return found
}

/** Generates any JSON, some of it valid for a tool. */
function anyJson(random: Random, depth = 0): string {
  const roll = random()
  if (roll < 0.5 || depth > 4) return JSON.stringify(pick(random, texts))
  if (roll < 0.58)
    return pick(random, ['0', '1', '-1', '2.5', '1e999', '9007199254740993', '-0', '99999999999999999999'])
  if (roll < 0.66) return pick(random, ['true', 'false', 'null'])
  const count = Math.floor(random() * 4)
  if (roll < 0.8) return `[${Array.from({ length: count }, () => anyJson(random, depth + 1)).join(',')}]`
  return anyObject(random, keys, count, depth)
}

/** Keys may stand twice, and be names of the language. */
function anyObject(random: Random, from: readonly string[], count: number, depth: number): string {
  const pairs = Array.from(
    { length: count },
    () => `${JSON.stringify(pick(random, from))}:${anyJson(random, depth + 1)}`,
  )
  return `{${pairs.join(',')}}`
}

const good: Partial<Record<string, (random: Random) => object>> = {
  read_file: (r) => ({ path: pick(r, names), from: Math.floor(r() * 5) }),
  list_directory: (r) => ({ path: pick(r, names) }),
  edit: (r) => ({
    path: pick(r, names),
    old_text: pick(r, texts),
    new_text: pick(r, texts),
    reason: pick(r, texts),
  }),
  write_file: (r) => ({ path: pick(r, names), content: pick(r, texts), reason: pick(r, texts) }),
  delete_file: (r) => ({ path: pick(r, names), reason: 'r' }),
  move_file: (r) => ({ path: pick(r, names), to: pick(r, names), reason: 'r' }),
  run_command: (r) => ({ line: pick(r, texts), folder: pick(r, names), reason: 'r' }),
  ask_user: (r) => ({ question: pick(r, texts), options: [pick(r, texts)] }),
}

function hostileArgs(random: Random, name: string): string {
  const roll = random()
  const known = Object.hasOwn(good, name) ? good[name] : undefined
  const whole = known === undefined ? anyObject(random, keys, 3, 0) : JSON.stringify(known(random))
  if (roll < 0.35) return whole
  if (roll < 0.45) return whole.slice(0, Math.floor(random() * whole.length))
  if (roll < 0.5) return `${pick(random, texts)}${whole}${pick(random, texts)}`
  if (roll < 0.55) return whole.replace('{', `{${JSON.stringify(pick(random, keys))}:${anyJson(random)},`)
  if (roll < 0.6) return whole.replace(/\}$/, `,${JSON.stringify(pick(random, keys))}:${anyJson(random)}}`)
  if (roll < 0.62) return '['.repeat(5_000)
  if (roll < 0.63) return `{"path":${'['.repeat(3_000)}${']'.repeat(3_000)}}`
  if (roll < 0.64) return `{"path":"${'x'.repeat(200_000)}","reason":"r"}`
  return anyObject(random, keys, Math.floor(random() * 6), 0)
}

/** Expects that a call did nothing beyond the effects that its consent covers. */
function checkAgainstFacts(call: PreparedCall, done: { changes: string[]; lines: string[] }): void {
  const { facts } = call
  const named =
    facts.kind === 'change' ? facts.files.flatMap(({ path, to }) => (to === null ? [path] : [path, to])) : []
  for (const path of done.changes) expect(named).toContain(path)
  if (facts.kind !== 'command') expect(done.lines).toEqual([])
  else expect(done.lines.every((line) => line === facts.line)).toBe(true)
  if (call.access === 'read') expect(done).toEqual({ changes: [], lines: [] })
}

describe(`${calls} hostile calls`, () => {
  it('crash nothing, do nothing but what they say, and invent nothing', async () => {
    const done = { changes: [] as string[], lines: [] as string[] }
    // Searches have their own tests; here they would start a program thousands of times.
    const wrap = (operations: ToolOperations): ToolOperations => ({
      ...operations,
      glob: async () => ({ paths: ['a.txt'], isCut: false }),
      grep: async () => ({ matches: [], isCut: false, problem: null }),
      async apply(changes, note) {
        done.changes.push(
          ...changes.flatMap((one) => (one.kind === 'move' ? [one.path, one.to] : [one.path])),
        )
        return operations.apply(changes, note)
      },
      async execute(command, onOutput, signal) {
        done.lines.push(command.line)
        return operations.execute(command, onOutput, signal)
      },
    })
    const rig = await toolRig({ wrap })
    const fill = (): void => {
      rig.write('a.txt', 'one\ntwo\n')
      rig.write('sub/b.txt', 'one two\n')
    }
    fill()
    const random = seededRandom(5_2026)
    const kinds = { world: 0, session: 0, invalid: 0 }
    for (let count = 0; count < calls; ) {
      const answer = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
        const name = pick(random, toolNames)
        return { callId: `c${count++}`, name, args: hostileArgs(random, name) }
      })
      const reads = await rig.toolbox.prepare(answer)
      expect(reads.length).toBe(answer.length)
      for (const [index, read] of reads.entries()) {
        if (read.kind === 'boundary') throw new Error('a boundary outside of a speculation')
        kinds[read.kind]++
        const callId = read.kind === 'invalid' ? read.callId : read.call.callId
        expect(callId).toBe(answer[index]?.callId)
        const { name = '', args = '' } = answer[index] ?? {}
        if (read.kind === 'invalid') {
          expect(sizeOf(read.reason)).toBeLessThanOrEqual(limitResultBytes)
          expect(read.reason.isWellFormed()).toBe(true)
          expect(read.reason).not.toMatch(/[^\P{Cc}\t\n]/u)
          continue
        }
        expect(ToolName.options).toContain(name)
        // What was not written as a string is in no call.
        if (read.kind === 'session') continue
        const { call } = read
        if (call.facts.kind === 'command') expect(args).toContain(JSON.stringify(call.facts.line))
        // Changes cost a disk's syncs; one of a few is carried out.
        if (call.access === 'write' && random() < 0.7) continue
        done.changes = []
        done.lines = []
        const result = await runCall(call)
        expect(sizeOf(result.text)).toBeLessThanOrEqual(limitResultBytes)
        checkAgainstFacts(call, done)
        if (done.changes.length > 0) fill()
      }
    }
    expect(Math.min(...Object.values(kinds))).toBeGreaterThan(calls / 100)
    // All that is there lies in the folder, as plain files.
    for (const name of readdirSync(rig.root, { recursive: true }).map(String)) {
      const stats = statSync(join(rig.root, name))
      expect(stats.isFile() || stats.isDirectory(), name).toBe(true)
      if (stats.isFile()) expect(readFileSync(join(rig.root, name)).includes(0), name).toBe(false)
    }
    expect(Object.hasOwn(Object.prototype, 'path')).toBe(false)
  })

  it('take the last of two keys for consent and for the deed alike', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'a')
    rig.write('b.txt', 'b')
    const args = '{"path":"a.txt","reason":"r","path":"b.txt"}'
    const [read] = await rig.toolbox.prepare([{ callId: 'c', name: 'delete_file', args }])
    if (read?.kind !== 'world') throw new Error('not prepared')
    expect(read.call).toMatchObject({ title: 'b.txt', facts: { files: [{ path: 'b.txt' }] } })
    await runCall(read.call)
    expect(readdirSync(rig.root)).toEqual(['a.txt'])
  })
})
