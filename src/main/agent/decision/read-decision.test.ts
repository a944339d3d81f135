import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { decision } from '../../../../tests/fakes/agent/agent-session.ts'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { AgentDecision } from '../../../shared/domain/session/agent-decision.ts'
import { grammarOf } from '../../models/completion/json-schema-grammar.ts'
import { sampleSchema } from '../../models/discovery/schema-sample.ts'
import { DecisionWords, decisionExample, decisionSchema } from './decision-format.ts'
import { readDecision } from './read-decision.ts'

/** The paths that `DecisionWords` must name. */
function decisionTextPaths(): string[] {
  const paths: string[] = []
  const seen = new Proxy({} as DecisionWords, {
    get: (_, path) => {
      paths.push(String(path))
      return path
    },
  })
  decisionExample(seen)
  return paths
}

const plain = JSON.stringify(decision())
const withFields = (fields: Record<string, unknown>) => JSON.stringify({ ...decision(), ...fields })
const without = (key: keyof AgentDecision) => {
  const { [key]: _, ...rest } = decision()
  return JSON.stringify(rest)
}
const read = (text: string) => {
  const reading = readDecision(text)
  return reading.ok ? reading.decision : reading.reason
}

describe('readDecision', () => {
  it.each([
    ['as it is', plain],
    ['in a fence', `\`\`\`json\n${plain}\n\`\`\``],
    ['among prose with braces after it', `了解しました。\n${plain}\n以上 {x} です。`],
    ['behind thinking with a draft', `<think>まず {"step":"EXECUTION"} かな</think>\n${plain}`],
    ['behind thinking that the template opened', `draft {"a":1}\n</think>${plain}`],
    ['behind channels', `<|channel|>analysis<|message|>{...}<|end|><|channel|>final<|message|>${plain}`],
    [
      'with full-width and other-case choices',
      withFields({
        step: 'ｐｌａｎｎｉｎｇ',
        next_step: 'Continue',
        prompt_pattern: 'base-main specialized',
      }),
    ],
    ['with a trailing comma and a comment', `${plain.slice(0, -1)}, // fin\n}`],
    ['with keys that are not asked for', withFields({ status: 'SUCCESS', approved: true })],
    ['without a delta', without('state_delta')],
    [
      'with checks in one string',
      withFields({
        goal_consistency: 'yes: it serves the goal',
        constraint_check: 'Ｙｅｓ、nothing is broken',
      }),
    ],
  ])('reads one %s', (_, text) => {
    expect(read(text)).toEqual(decision())
  })

  it('keeps braces and marks inside of strings', () => {
    const rationale = 'write "}" and </think> and { into a.ts'
    expect(read(JSON.stringify(decision({ rationale })))).toEqual(decision({ rationale }))
  })

  it('says whether it repaired, and what it clipped', () => {
    const long = withFields({ rationale: `一行目\n${'長'.repeat(300)}` })
    const reading = readDecision(long)
    expect(reading).toMatchObject({ ok: true, isRepaired: false, clipped: ['rationale'] })
    expect(reading.ok && reading.decision.rationale.endsWith('…')).toBe(true)
    expect(readDecision(plain.replaceAll('"', "'"))).toMatchObject({
      ok: true,
      isRepaired: true,
      clipped: [],
    })
  })

  it.each([
    ['the answer was cut by length', plain, { isCut: true }, 'cut'],
    ['nothing closes', plain.slice(0, -1), {}, 'no-object'],
    ['a string is cut', plain.slice(0, 40), {}, 'no-object'],
    ['there is only prose', '承認しました。実行します。', {}, 'no-object'],
    ['the thinking never ends', `<think>${plain}`, {}, 'no-object'],
    ['a step is invented', withFields({ step: 'DONE' }), {}, 'invalid'],
    ['the choices are copied from the prompt', withFields({ next_step: 'done / continue' }), {}, 'invalid'],
    ['the reason is missing', without('rationale'), {}, 'invalid'],
    ['the step is missing', without('step'), {}, 'invalid'],
    ['it is another object', '{"tool":"write_file"}', {}, 'invalid'],
  ])('fails where %s', (_, text, options, reason) => {
    expect(readDecision(text, options)).toMatchObject({ ok: false, reason })
  })

  it.each([
    ['missing', without('goal_consistency')],
    ['undecided', withFields({ goal_consistency: 'yes/no' })],
    ['a word that only begins like yes', withFields({ goal_consistency: 'yesterday it did' })],
    ['an answer of another kind', withFields({ goal_consistency: { answer: true, reason: 'x' } })],
    ['a refusal in Japanese', withFields({ goal_consistency: 'いいえ：目標と合わない' })],
  ])('takes a check that is %s as no', (_, text) => {
    const got = read(text)
    expect(typeof got === 'string' ? got : got.goal_consistency.answer).toBe('no')
  })

  it('takes a delta in one string as its summary, and an unnamed item as unchanged', () => {
    const unchanged = { goal: null, why_now: null, constraints: null, plan_brief: null, open_questions: null }
    expect(read(withFields({ state_delta: '計画を立てた' }))).toMatchObject({
      state_delta: { ...unchanged, summary: '計画を立てた' },
    })
    expect(
      read(withFields({ state_delta: { goal: '', open_questions: [], plan_brief: '一手目' } })),
    ).toMatchObject({
      state_delta: { ...unchanged, open_questions: [], plan_brief: ['一手目'], summary: '' },
    })
    expect(read(withFields({ state_delta: '' }))).toMatchObject({ state_delta: null })
  })

  it('never throws and never gives what the schema refuses, whatever it reads', () => {
    const random = seededRandom(7)
    const pieces = [...plain, '{', '}', '"', '\\', '```', '<think>', '</think>', '：', '𠮷', '\u0000', 'null']
    for (let count = 0; count < 3000; count++) {
      const characters = [...plain]
      for (let edits = 0; edits < 1 + random() * 6; edits++) {
        const piece = pieces[Math.floor(random() * pieces.length)] ?? ''
        characters.splice(Math.floor(random() * characters.length), Math.floor(random() * 4), piece)
      }
      const reading = readDecision(characters.join(''))
      if (reading.ok) expect(AgentDecision.safeParse(reading.decision).success).toBe(true)
    }
  })
})

describe('the one schema of a decision', () => {
  it('has the seven fields in their order, all required, nothing else', () => {
    const keys = [
      'rationale',
      'goal_consistency',
      'constraint_check',
      'next_step',
      'step',
      'prompt_pattern',
      'state_delta',
    ]
    expect(Object.keys(decisionSchema.properties as object)).toEqual(keys)
    expect(decisionSchema).toMatchObject({ required: keys, additionalProperties: false })
    expect(decisionSchema).not.toHaveProperty('$schema')
  })

  it('has a grammar, and what the grammar allows is read', () => {
    expect(grammarOf(decisionSchema)).toContain('root ::=')
    expect(readDecision(JSON.stringify(sampleSchema(decisionSchema)))).toMatchObject({
      ok: true,
      isRepaired: false,
    })
  })

  it('takes as many code points as a grammar lets through', () => {
    const rationale = '𠮷'.repeat(200)
    expect(read(JSON.stringify(decision({ rationale })))).toMatchObject({ rationale })
  })

  it.each(['ja', 'en'])('gives the %s prompt its example, with every choice', (language) => {
    const file = new URL(`../../../../resources/prompts/${language}/decision-words.json`, import.meta.url)
    const words = DecisionWords.parse(JSON.parse(readFileSync(fileURLToPath(file), 'utf8')))
    expect(Object.keys(words)).toEqual(decisionTextPaths())
    const example = JSON.parse(decisionExample(words))
    expect(Object.keys(example)).toEqual(Object.keys(decision()))
    expect(example).toMatchObject({
      rationale: words.rationale,
      goal_consistency: { answer: 'yes / no' },
      next_step: 'done / pending_user / defer / continue',
      step: 'PLANNING / EXECUTION / REVIEW / AWAITING_APPROVAL',
      state_delta: { constraints: [words['state_delta.constraints']] },
    })
    expect(() => decisionExample({})).toThrow('no words for rationale')
  })
})
