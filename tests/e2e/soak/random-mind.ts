import type { Answer, AskedRequest, FaultName } from '../../fakes/servers/llama/answer.ts'
import { hostileDecision } from '../../fakes/sessions/hostile-answers.ts'

type Random = () => number

/** A mark in each text that this model proposes to write, by which a file on disk is traced to the call. */
export const markOf = (count: number): string => `【M${count}】`
export const marksIn = (text: string): number[] =>
  [...text.matchAll(/【M(\d+)】/g)].map(([, count]) => Number(count))

const faults: readonly FaultName[] = [
  'closed-before-headers',
  'loading',
  'slow-first-token',
  'silent-midway',
  'cut-in-text',
  'cut-in-character',
  'cut-in-tool-call',
  'no-end',
  'error-under-200',
  'error-after-generating',
  'garbage-sse',
  'not-json',
  'html-page',
  'context-exceeded',
]

const paths = [
  'note.txt',
  '章/一.md',
  'src/a.ts',
  'new.txt',
  '深い/場所/b.md',
  'none.txt',
  '../out.txt',
  '.env',
]

const leading = [
  'propose_plan',
  'edit',
  'write_file',
  'move_file',
  'delete_file',
  'run_command',
  'submit_review',
]

const answers = [
  'はい。',
  '# 見出し\n\n- 一\n- 二\n\n```ts src/a.ts\nexport const a = 2\n```\n\n終わりです。',
  '| 列 | 列 |\n|---|---|\n| 一 | 二 |\n\n[外](https://example.com/) ![絵](https://example.com/a.png) <b>太字</b>',
  '```text note.txt\n一行目\n直した二行目\n```\n続けて「npm test」を走らせますか。',
  '長い返事。'.repeat(400),
  '```js\nconst open = 1\n\n閉じない',
  '\u0000\u202e見えない\u200b文字😀',
]

/** Creates a model that answers every request, mostly correctly, sometimes with nonsense or with a fault. */
export function randomMind(random: Random) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const mind = {
    isFaulty: true,
    count: 0,
    /** Number of the user's approvals so far. */
    approvals: 0,
    /** By mark: number of the user's approvals when the text was proposed. */
    proposed: new Map<number, number>(),
    answer,
  }
  return mind

  function answer(request: AskedRequest): Answer {
    const said = plainAnswer(request)
    if (!mind.isFaulty || random() > 0.08) return said
    return { ...said, fault: { name: pick(faults), afterDeltas: Math.floor(random() * 4), delayMs: 400 } }
  }

  function plainAnswer({ schema, tools }: AskedRequest): Answer {
    const keys = Object.keys((schema?.properties ?? {}) as object)
    if (keys.includes('next_step')) return { text: decision() }
    if (tools.length > 0 && random() < 0.85) {
      const offered = tools.map(({ function: { name } }) => name)
      const calls = Array.from({ length: pick([1, 1, 1, 2, 3]) }, () => call(offered))
      return random() < 0.3 ? { text: pick(answers), toolCalls: calls } : { toolCalls: calls }
    }
    if (keys.length > 0) return { text: pick(['{"suggestion":"続けて"}', '{}', 'no json']) }
    return random() < 0.2 ? { reasoning: pick(answers), text: pick(answers) } : { text: pick(answers) }
  }

  function decision(): string {
    if (random() < 0.08) return hostileDecision(random)
    const isAtWork = random() < 0.7
    return JSON.stringify({
      rationale: '頼まれたとおり',
      goal_consistency: { answer: 'yes', reason: '' },
      constraint_check: { answer: random() < 0.9 ? 'yes' : 'no', reason: '' },
      next_step: isAtWork ? 'continue' : pick(['done', 'done', 'pending_user', 'defer']),
      step: isAtWork ? pick(['PLANNING', 'EXECUTION', 'EXECUTION', 'REVIEW']) : 'PLANNING',
      prompt_pattern: isAtWork ? 'base_main_specialized' : 'base_main',
      state_delta:
        random() < 0.5
          ? null
          : {
              goal: `目標${Math.floor(random() * 9)}`,
              why_now: null,
              constraints: ['守る'],
              plan_brief: null,
              open_questions: random() < 0.5 ? ['何を？'] : null,
              summary: '変えた',
            },
    })
  }

  function call(offered: readonly string[]) {
    // What leads on is called more often, or a session would never come to its changes.
    const eager = offered.filter((one) => leading.includes(one))
    const isEager = eager.length > 0 && random() < 0.6
    const name =
      random() < 0.95 ? pick(isEager ? eager : offered) : pick(['rm', 'approve', 'write_file', 'run_command'])
    mind.count += 1
    const mark = markOf(mind.count)
    const path = pick(paths)
    mind.proposed.set(mind.count, mind.approvals)
    const reason = 'そうするため'
    const args: Record<string, Record<string, unknown>> = {
      read_file: { path },
      list_directory: {},
      glob: { pattern: '**/*.md' },
      grep: { pattern: pick(['二', '[', '.*']) },
      edit: { path, old_text: pick(['二行目', '一', 'ない']), new_text: `二行目${mark}`, reason },
      write_file: { path, content: `新しい${mark}\n`.repeat(pick([1, 3, 200])), reason },
      delete_file: { path, reason },
      move_file: { path, to: pick(paths), reason },
      run_command: {
        line: pick([
          `echo '${mark}' >> log.txt`,
          'cat note.txt',
          'ls',
          'sleep 1',
          'exit 3',
          'yes | head -c 300000',
          'sleep 30 & echo later',
          "trap '' TERM; sleep 20",
        ]),
        reason,
        ...(random() < 0.2 ? { background: true } : {}),
      },
      command_output: { command_id: pick(['1', 'c1', 'none']) },
      command_stop: { command_id: pick(['1', 'c1', 'none']) },
      todo_write: { todos: [{ text: '直す', done: random() < 0.5 }] },
      propose_plan: {
        title: '直す',
        purpose: '頼まれたから',
        steps: [{ text: '直す', kind: 'write', path: null }],
        risk: 'low',
        successCriteria: '直っている',
      },
      submit_review: {
        rating: 'good',
        problems: [],
        improvements: ['短く'],
        verdict: pick(['approve', 'approve', 'revise', 'reject']),
      },
      ask_user: { question: 'どちらですか。', ...(random() < 0.5 ? { options: ['甲', '乙'] } : {}) },
    }
    const made = args[name] ?? {}
    return { name, arguments: random() < 0.95 ? made : JSON.stringify(made).slice(0, 12) }
  }
}

export type RandomMind = ReturnType<typeof randomMind>
