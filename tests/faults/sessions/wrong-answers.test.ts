import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAgentModel } from '../../../src/main/agent/model/create-agent-model.ts'
import type { ToolCall } from '../../../src/main/models/client/model-client.ts'
import type { Toolbox } from '../../../src/main/tools/create-toolbox.ts'
import { activeModel, prompts } from '../../fakes/agent/agent-talk.ts'
import { type ScriptedAnswer, ScriptedClient } from '../../fakes/agent/scripted-client.ts'
import { toolRig } from '../../fakes/rigs/tool-rig.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import { setStage } from '../../fakes/sessions/runner-stage.ts'

const isSoak = process.env.TSUGI_SOAK !== undefined
const answersInAll = isSoak ? 5_000 : 120
const answersOfTurn = 4
const turnsOfSession = 15

type Random = () => number
type Written = Pick<ToolCall, 'name' | 'arguments'>
/** The model's answers in a turn, and the expected results. */
type Turn = { answers: ScriptedAnswer[]; files: Map<string, string>; lines: string[]; reads: string[] }

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

/** Generates a call that no tool accepts. `mark` makes each one different. */
function wrongCall(random: Random, mark: string): Written {
  const json = (value: unknown): string => JSON.stringify(value)
  return pick<() => Written>(random, [
    () => ({
      name: pick(random, ['apply_patch', 'Read', 'write-file', '書く', '', 'toString']),
      arguments: '{}',
    }),
    () => ({ name: 'write_file', arguments: `{"path": "wrong-${mark}", "content": "x"` }),
    () => ({ name: 'write_file', arguments: `{"path": "wrong-${mark}", "content"` }),
    () => ({
      name: 'run_command',
      arguments: pick(random, ['null', '[]', '"echo"', '{echo}', '7', '{"line":']),
    }),
    () => ({ name: 'write_file', arguments: json({ path: `wrong-${mark}`, content: 3, reason: 'r' }) }),
    () => ({ name: 'write_file', arguments: json({ path: `wrong-${mark}`, reason: 'r' }) }),
    () => ({ name: 'read_file', arguments: json({ path: 'a.txt', file_path: `b-${mark}.txt` }) }),
    () => ({ name: 'edit', arguments: json({ path: 'a.txt', edits: [], reason: mark }) }),
    () => ({ name: 'edit', arguments: json({ path: 'a.txt', edits: [{ old_text: 'one' }], reason: mark }) }),
    () => ({ name: 'read_file', arguments: json({ path: '../../etc/passwd', extra: mark }) }),
    () => ({ name: 'submit_review', arguments: json({ verdict: mark }) }),
  ])()
}

/** Generates a call that must be carried out once, under one of the names that other programs use for it. */
function rightCall(random: Random, mark: string, turn: Turn): Written {
  const roll = random()
  if (roll < 0.25) {
    const path = `right-${mark}.txt`
    turn.files.set(path, `line\n${mark}`)
    const place = pick(random, ['path', 'file_path', 'filePath'])
    const args = JSON.stringify({ [place]: path, content: `line\n${mark}`, reason: 'asked for' })
    // A line break that is not escaped is invalid JSON, but its meaning is clear.
    return { name: 'write_file', arguments: random() < 0.3 ? args.replace('\\n', '\n') : args }
  }
  if (roll < 0.7) {
    const line = `touch ${mark}`
    turn.lines.push(line)
    const name = pick(random, ['line', 'command', 'cmd'])
    return { name: 'run_command', arguments: JSON.stringify({ [name]: line }) }
  }
  turn.reads.push('a.txt')
  const to = String(turn.reads.length + 1)
  return {
    name: 'read_file',
    arguments: JSON.stringify({ path: './a.txt', from: '1', to, ...{ reason: undefined } }),
  }
}

const replyOf = (name: string): string => `Done with ${name}.`

/** The answers of a turn; the last one is its reply. */
function turnOf(random: Random, name: string): Turn {
  const turn: Turn = { answers: [], files: new Map(), lines: [], reads: [] }
  let useless = 0
  for (let at = 0; at < answersOfTurn - 1; at++) {
    const roll = random()
    const mustHelp = useless >= 2
    if (!mustHelp && roll < 0.1 && turn.answers.at(-1)?.calls !== undefined) {
      turn.answers.push({ text: '' })
      continue
    }
    const count = 1 + Math.floor(random() ** 3 * 10)
    const isCut = !mustHelp && roll > 0.9
    const wrong = isCut ? count : Math.floor(random() * (mustHelp ? count : count + 1))
    const calls = Array.from({ length: count }, (_, index): Written => {
      const mark = `${name}-${at}-${index}`
      if (isCut) {
        const args = JSON.stringify({ path: `cut-${mark}.txt`, content: 'x', reason: 'r' })
        return { name: 'write_file', arguments: args }
      }
      return index < wrong ? wrongCall(random, mark) : rightCall(random, mark, turn)
    })
    const shuffled = calls.map((call) => ({ call, key: random() })).sort((a, b) => a.key - b.key)
    const id = random() < 0.5 ? 'same' : ''
    turn.answers.push({
      ...(random() < 0.5 ? { text: 'I look at it.' } : {}),
      calls: shuffled.map(({ call }, index) => ({ id: id === '' ? `call-${index}` : id, ...call })),
      ...(isCut ? { end: 'length' as const } : {}),
    })
    useless = isCut || wrong === count ? useless + 1 : 0
  }
  turn.answers.push({ text: replyOf(name) })
  return turn
}

it('carries out what is right of an answer that is partly wrong, once, with its record', {
  timeout: isSoak ? 1_200_000 : 60_000,
}, async () => {
  const turns = Math.ceil(answersInAll / answersOfTurn)
  for (let first = 0; first < turns; first += turnsOfSession) {
    const random = seededRandom(first + 1)
    const rig = await toolRig()
    rig.write('a.txt', 'one\ntwo\nthree\n')
    const answers: ScriptedAnswer[] = []
    let closing = ''
    const client = new ScriptedClient({
      contextTokens: 4_000_000,
      capabilities: { hasTools: true },
      // After changes of many files it is asked for a review as well.
      answer: () => answers.shift() ?? { text: closing },
    })
    const ran: { callId: string; title: string }[] = []
    const toolbox: Toolbox = {
      ...rig.toolbox,
      declarations: rig.toolbox.declarations,
      async prepare(calls) {
        const read = await rig.toolbox.prepare(calls)
        return read.map((each) => {
          if (each.kind !== 'world') return each
          const { call } = each
          const counted = {
            ...call,
            run: (...given: Parameters<typeof call.run>) => {
              const open = stage.session.state.calls.find(({ callId }) => callId === call.callId)
              const record = open?.kind === 'world' ? open.record : null
              expect(record).toMatchObject({ callId: call.callId, hash: call.hash })
              ran.push({ callId: call.callId, title: call.title })
              return call.run(...given)
            },
          }
          return { ...each, call: counted }
        })
      },
    }
    let ids = 0
    const model = createAgentModel({
      activeModel: async () => activeModel(client, 'openai'),
      prompts,
      toolbox,
      readLines: async () => null,
      random: { next: random, id: () => String(++ids).padStart(9, '0') },
      isDirect: () => true,
    })
    const stage = setStage({ parts: { model, toolbox } })
    for (let at = first; at < Math.min(turns, first + turnsOfSession); at++) {
      const turn = turnOf(random, `t${at}`)
      closing = replyOf(`t${at}`)
      answers.push(...turn.answers)
      ran.length = 0
      rig.commands.length = 0
      stage.say(`do ${at}`)
      await stage.runner.standstill()
      const why = `turn ${at}`
      expect(stage.logged, why).toEqual([])
      // No turn ended before its reply, and none went on behind it.
      expect(answers, why).toEqual([])
      const items = stage.session.page({ limit: 500 }).items
      expect(
        items.findLast(({ kind }) => kind === 'answer'),
        why,
      ).toMatchObject({ text: closing })
      expect(new Set(ran.map(({ callId }) => callId)).size, why).toBe(ran.length)
      for (const [path, content] of turn.files) expect(rig.text(path), why).toBe(content)
      expect(rig.commands.map(({ line }) => line).sort(), why).toEqual(turn.lines.toSorted())
      const wanted = [...turn.files.keys(), ...turn.lines, ...turn.reads.map(() => './a.txt')].sort()
      expect(ran.map(({ title }) => title).sort(), why).toEqual(wanted)
    }
    // Each call has its one result, and nothing of a wrong or cut one was written.
    const calls = stage.session.log.flatMap((entry) => entry.calls ?? []).map(({ callId }) => callId)
    const results = stage.session.log.flatMap(({ kind, callId }) => (kind === 'result' ? [callId] : []))
    expect(results.toSorted()).toEqual(calls.toSorted())
    expect(existsSync(join(rig.root, 'cut-t0-0-0.txt'))).toBe(false)
    expect(readFileSync(join(rig.root, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
  }
})
