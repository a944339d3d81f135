import type { AgentDecision } from '../../../src/shared/domain/session/agent-decision.ts'
import type { Answer, AskedRequest } from '../servers/llama/answer.ts'

/** One answer of a scripted model. `decide` answers the request for a decision, the others those that follow. */
export type Thought =
  | { decide: Partial<AgentDecision> }
  | { say: string }
  | { call: readonly { name: string; arguments: Record<string, unknown> }[]; say?: string }
  | Answer

/** A decision that ends the turn. */
export const decided: AgentDecision = {
  rationale: 'that is what was asked for',
  goal_consistency: { answer: 'yes', reason: '' },
  constraint_check: { answer: 'yes', reason: '' },
  next_step: 'done',
  step: 'PLANNING',
  prompt_pattern: 'base_main',
  state_delta: null,
}

/** The model's decision to work in a step. */
export function workIn(step: AgentDecision['step'], more: Partial<AgentDecision> = {}): Thought {
  return { decide: { next_step: 'continue', prompt_pattern: 'base_main_specialized', step, ...more } }
}

export function calls(...made: [name: string, args: Record<string, unknown>][]): Thought {
  return { call: made.map(([name, args]) => ({ name, arguments: args })) }
}

/** An answer for a test that cuts it: saying it to its end would take 40 seconds. */
export const longAnswer: Answer = { text: 'word '.repeat(400), tokenMs: 100 }

/** Nothing more to call: the work of the step is done. */
export const noCalls: Thought = { say: '' }

export const approve: Thought = calls([
  'submit_review',
  { rating: 'good', problems: [], improvements: [], verdict: 'approve' },
])

export function plan(...steps: string[]): Thought {
  return calls([
    'propose_plan',
    {
      title: steps[0] ?? 'plan',
      purpose: 'what was asked for',
      steps: steps.map((text) => ({ text, kind: 'write', path: null })),
      risk: 'low',
      successCriteria: 'the tests pass',
    },
  ])
}

/** The answers that lead to EXECUTION: reading `path`, a plan, the decision to carry it out. */
export function readAndPlan(path: string): Thought[] {
  return [workIn('PLANNING'), calls(['read_file', { path }]), plan(`change ${path}`), workIn('EXECUTION')]
}

/** A turn that only answers. */
export function justAnswer(text: string): Thought[] {
  return [{ decide: {} }, { say: text }]
}

export function editCall(path: string, oldText: string, newText: string): Thought {
  return calls(['edit', { path, old_text: oldText, new_text: newText, reason: 'asked for' }])
}

export function runCall(line: string): Thought {
  return calls(['run_command', { line, reason: 'asked for' }])
}

/**
 * Creates a model that uses one thought per request, in order.
 *
 * A request of another kind than that of the thought means that the program asked something else than the test expects:
 * the answer then names this, and the program cannot accept it.
 */
export function scriptedMind(...thoughts: Thought[]) {
  const left = [...thoughts]
  const suggestions: { answer: Answer; after: string }[] = []
  return {
    left,
    think: (...more: Thought[]) => void left.push(...more),
    /** Adds predictions of the user's next message, one per prediction; after the last one it predicts nothing. */
    suggest: (...texts: (string | Answer)[]) =>
      void suggestions.push(
        ...texts.map((one) => ({ answer: typeof one === 'string' ? { text: one } : one, after: '' })),
      ),
    /** As `suggest`, but behind one message only: an earlier turn may still ask for its own prediction. */
    suggestAfter: (message: string, text: string) =>
      void suggestions.push({ answer: { text }, after: message }),
    answer(request: AskedRequest): Answer {
      if (isForSuggestion(request)) {
        const asked = JSON.stringify(request.messages)
        const at = suggestions.findIndex(({ after }) => asked.includes(after))
        return at < 0 ? { text: '' } : (suggestions.splice(at, 1)[0]?.answer ?? { text: '' })
      }
      if (isPreRead(request)) return { text: '{' }
      const thought = left.shift()
      if (thought === undefined) return { text: `the script has nothing for request ${request.index}` }
      if ('decide' in thought) return { text: JSON.stringify({ ...decided, ...thought.decide }) }
      if ('say' in thought && !('call' in thought)) return { text: thought.say }
      if ('call' in thought) {
        const { call, say } = thought
        if (request.schema !== null)
          return {
            text: JSON.stringify({ calls: call.map((made) => ({ tool: made.name, args: made.arguments })) }),
          }
        return { ...(say === undefined ? {} : { text: say }), toolCalls: call }
      }
      return thought
    },
  }
}

/** How the prompts of `resources/prompts` for suggestions begin. */
const suggestionPrompts =
  /^(?:【予測モード|\[SUGGESTION MODE|利用者が次に打つ短い言葉だけ|Predict what the user will type next)/

/** The last message asks what the user will type next. */
export function isForSuggestion({ messages }: Pick<AskedRequest, 'messages'>): boolean {
  const content = messages.at(-1)?.content
  return typeof content === 'string' && suggestionPrompts.test(content.trimStart())
}

/** True for a request that only prefetches a suggested message: its answer is discarded, and uses no thought. */
function isPreRead({ body }: Pick<AskedRequest, 'body'>): boolean {
  return body.max_tokens === 1
}
