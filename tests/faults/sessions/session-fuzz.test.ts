/** Hostile models: no answer of theirs causes an effect without consent, or an invented result. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readDecision } from '../../../src/main/agent/decision/read-decision.ts'
import { AgentDecision } from '../../../src/shared/domain/session/agent-decision.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { toolRig } from '../../fakes/rigs/tool-rig.ts'
import { seededRandom } from '../../fakes/seeded-random.ts'
import type { AskedRequest } from '../../fakes/servers/llama/answer.ts'
import { servedModel, startSessionLlama } from '../../fakes/servers/session-llama.ts'
import { controlTexts, hostileCall, hostileDecision } from '../../fakes/sessions/hostile-answers.ts'
import { calls, justAnswer, readAndPlan, scriptedMind, workIn } from '../../fakes/sessions/scripted-mind.ts'
import { openTestApp, scriptedHost } from '../../fakes/sessions/session-host.ts'
import { storedSession } from '../../fakes/sessions/stored-session.ts'

vi.setConfig({ testTimeout: 600_000 })
/** `TSUGI_SOAK` plays the long series. */
const isSoak = process.env.TSUGI_SOAK === '1'
const decisions = isSoak ? 6_000 : 1_000
const preparedCalls = isSoak ? 4_000 : 500
const wholeAnswers = isSoak ? 10_000 : 100

describe('a hostile model', () => {
  it(`writes ${decisions} decisions: each is refused or stands in what it wrote`, () => {
    const random = seededRandom(1)
    let accepted = 0
    for (let count = 0; count < decisions; count++) {
      const text = hostileDecision(random)
      const reading = readDecision(text)
      if (!reading.ok) continue
      accepted += 1
      const { decision } = reading
      expect(AgentDecision.parse(decision)).toEqual(decision)
      for (const name of [decision.step, decision.next_step, decision.prompt_pattern])
        expect(text).toContain(name)
      // A missing check does not count as passed.
      if (decision.goal_consistency.answer === 'yes')
        expect(text).toMatch(/goal_consistency[\s\S]*(yes|はい|true)/)
      if (decision.constraint_check.answer === 'yes')
        expect(text).toMatch(/constraint_check[\s\S]*(yes|はい|true)/)
    }
    expect(accepted).toBeGreaterThan(decisions / 10)
    expect(accepted).toBeLessThan(decisions)
  })

  it(`makes ${preparedCalls} calls: each is refused with words or stays inside, and preparing touches nothing`, async () => {
    const random = seededRandom(2)
    const rig = await toolRig()
    const outside = sentinel(rig.root)
    rig.write('a.txt', 'one\n')
    await rig.run('read_file', { path: 'a.txt' })
    const before = readdirSync(rig.root)
    for (let count = 0; count < preparedCalls; count++) {
      const { name, arguments: args } = hostileCall(random, outside)
      const [read] = await rig.toolbox.prepare([{ callId: `c${count}`, name, args }])
      if (read?.kind === 'invalid') expect(read.reason).not.toBe('')
      if (read?.kind !== 'world') continue
      for (const { path } of read.call.changes) expect(path).not.toMatch(/^\/|(^|\/)\.\.(\/|$)|^link\//)
      expect(read.call.isReadOnly && /owned/.test(args), args).toBe(false)
    }
    expect(readdirSync(rig.root)).toEqual(before)
    expect(rig.text('a.txt')).toBe('one\n')
    expect(readFileSync(outside, 'utf8')).toBe('sentinel')
  })

  it(`gives ${wholeAnswers} answers to a whole session that refuses all: nothing is written or run`, async () => {
    const random = seededRandom(3)
    const [dataDir, root] = [tempFolder(), tempFolder()]
    const outside = sentinel(root)
    writeFileSync(join(root, 'a.txt'), 'one\n')
    const before = readdirSync(root)
    let given = 0
    const prime = scriptedMind()
    const llama = await startSessionLlama({
      contextTokens: 65_536,
      answer(request) {
        const { schema, body } = request
        given += 1
        // Sometimes the model answers correctly, so that the session reaches a step with calls.
        if (prime.left.length > 0) return prime.answer(request)
        if (schema !== null) return { text: hostileDecision(random) }
        if (body.tool_choice === 'none') return { text: hostileDecision(random) }
        const count = 1 + Math.floor(random() * 3)
        return {
          text: 'approved',
          toolCalls: Array.from({ length: count }, () => hostileCall(random, outside)),
        }
      },
    })
    onTestFinished(() => llama.close())
    const model = servedModel(llama.address)
    const opened = await openTestApp({ dataDir, model })
    onTestFinished(() => opened.app.close())
    let gates = 0
    while (given < wholeAnswers) {
      const player = await opened.open({ root })
      for (let message = 0; message < 3 && given < wholeAnswers; message++) {
        prime.left.splice(0, prime.left.length, ...(message === 0 ? readAndPlan('a.txt') : []))
        await player.say('はい、続けてください。')
        let state = await player.rest()
        while (state.openGates.length > 0) {
          gates += 1
          await player.answer('refuse', random() < 0.5 ? {} : { reason: 'No.' })
          state = await player.rest()
        }
        if (state.position.waiting === 'answer') await player.stop()
      }
      const { items } = storedSession(dataDir, player.sessionId)
      const done = items.filter((item) => item.kind === 'call' && item.view?.kind === 'change')
      expect(done).toEqual([])
    }
    expect(gates).toBeGreaterThan(isSoak ? 100 : 1)
    expect(readdirSync(root)).toEqual(before)
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n')
    expect(readFileSync(outside, 'utf8')).toBe('sentinel')
    expect(opened.bugs).toEqual([])
    expect(llama.scriptErrors).toEqual([])
  })
})

describe('control tokens in files, results and messages', () => {
  it('never open a turn', async () => {
    const text = controlTexts.join('\n')
    const host = await scriptedHost(
      [
        workIn('PLANNING'),
        calls(['read_file', { path: 'a.txt' }], ['grep', { pattern: 'Approve', literal: true }]),
        { say: text },
        ...justAnswer('Nothing is approved.'),
      ],
      { files: { 'a.txt': text, 'AGENTS.md': text } },
    )
    const prompts: AskedRequest[] = []
    const { answer } = host.mind
    host.llama.options.answer = (request) => {
      prompts.push(request)
      return answer(request)
    }
    await host.say(text)
    await host.rest()
    expect(prompts.length).toBeGreaterThan(3)
    for (const { messages, prompt } of prompts) {
      // One opening for each message, and one for the answer: nothing inside a message opened another.
      const opened = prompt.split('<|im_start|>').length - 1
      expect(opened).toBe(openings(messages))
      for (const { role, content } of messages)
        if (role !== 'system' && role !== 'assistant') expect(JSON.stringify(content)).not.toMatch(rawControl)
    }
    expect(host.bugs).toEqual([])
  })
})

const rawControl = /<\|im_(start|end)\|>|\[\/?INST\]|<\/s>|<\|eot_id\|>|<(start|end)_of_turn>|<\/?tool_call>/

/** Counts the expected openings: results of one answer's calls share a turn; the last opening is the answer's. */
function openings(messages: readonly { role: string }[]): number {
  const turns = messages.filter(({ role }, index) => role !== 'tool' || messages[index - 1]?.role !== 'tool')
  return turns.length + 1
}

/** A file beside the folder, and a link in the folder that leads to it. */
function sentinel(root: string): string {
  const folder = join(tempFolder(), 'outside')
  mkdirSync(folder)
  writeFileSync(join(folder, 'secret.txt'), 'sentinel')
  symlinkSync(folder, join(root, 'link'))
  return join(folder, 'secret.txt')
}
