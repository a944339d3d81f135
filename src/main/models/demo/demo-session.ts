import type { AgentDecision } from '../../../shared/domain/session/agent-decision.ts'
import { clipLine } from '../../../shared/text/clip-line.ts'
import { parseJson } from '../../../shared/text/json.ts'
import type { ChatMessage, ChatRequest } from '../client/model-client.ts'
import { sampleSchema } from '../discovery/schema-sample.ts'
import type { DemoScript } from './demo-client.ts'

type DemoSessionScript = DemoScript['session']
type Call = { tool: string; args: Record<string, unknown> }

const noteName = 'tsugi-demo'
const requestLimit = 80

/**
 * Returns the demo's next answer in a session, from the conversation alone: a question is answered; a request to change
 * something leads to a plan, a new small note, two edits of it, a list of the folder and a review.
 */
export function demoSessionAnswer(script: DemoSessionScript, request: ChatRequest): string {
  const { messages, constraint } = request
  const schema = constraint?.kind === 'json-schema' ? constraint.schema : {}
  const properties = Object.keys((schema.properties ?? {}) as Record<string, unknown>)
  const last = messages.at(-1)?.content ?? ''
  const play = demoPlay(script, messages)
  if (properties.includes('next_step')) return JSON.stringify(play.decision())
  if (properties.includes('calls')) return JSON.stringify({ calls: play.calls() })
  // Other requests with a schema get its simplest value, since every backend must follow a schema.
  if (constraint?.kind === 'json-schema') return JSON.stringify(sampleSchema(schema))
  if (script.summaryMarks.some((mark) => last.includes(mark))) return script.summary
  return play.reply()
}

function demoPlay(script: DemoSessionScript, messages: readonly ChatMessage[]) {
  const { rationales } = script
  /** The tools called since the task began; `end` is an answer without calls. */
  const trail: string[] = []
  let task = ''
  for (const { role, content } of messages) {
    if (role === 'user') task = utterance(content) || task
    if (role === 'assistant') follow(content)
  }

  function decision(): AgentDecision {
    const isNew = utterance(messages.at(-1)?.content ?? '') !== ''
    if (isNew && isChange()) return decide(rationales.plan, 'continue', 'PLANNING', task)
    if (isNew || trail.length === 0) return decide(rationales.answer, 'done', step(), null)
    if (has('write_file')) return decide(rationales.declined, 'done', step(), null)
    return decide(rationales.execute, 'continue', 'EXECUTION', null)
  }

  function reply(): string {
    const { answer, declined } = script
    const said = messages.findLast(({ role }) => role === 'assistant')?.content ?? ''
    return objectIn(said)?.rationale === rationales.declined ? declined : filled(answer)
  }

  function calls(): Call[] {
    const { plan, reasons, content, edits, improvement, problem } = script
    const path = notePath()
    const good = { rating: 'good', problems: [], improvements: [improvement], verdict: 'approve' }
    const bad = { rating: 'needs-work', problems: [problem], improvements: [], verdict: 'reject' }
    switch (step()) {
      case 'PLANNING':
        if (!has('list_directory')) return [{ tool: 'list_directory', args: { path: '.' } }]
        if (has('propose_plan')) return []
        return [
          {
            tool: 'propose_plan',
            args: {
              title: plan.title,
              purpose: plan.purpose,
              steps: plan.steps.map((step) => ({ text: filled(step), kind: 'write', path })),
              risk: 'low',
              successCriteria: filled(plan.criteria),
            },
          },
        ]
      case 'REVIEW':
        if (trail.at(-1) !== 'read_file') return [{ tool: 'read_file', args: { path } }]
        return [{ tool: 'submit_review', args: isWritten() ? good : bad }]
      default:
        if (!has('write_file'))
          return [{ tool: 'write_file', args: { path, content: filled(content), reason: reasons.write } }]
        if (!has('edit'))
          return edits.map(([old_text, new_text]) => ({
            tool: 'edit',
            args: { path, edits: [{ old_text, new_text }], reason: reasons.edit },
          }))
        return trail.at(-1) === 'edit' ? [{ tool: 'list_directory', args: { path: '.' } }] : []
    }
  }

  /** Returns the user's message before a decision: results may precede it, and our block follows it. */
  function utterance(content: string): string {
    const { blockMarks, decisionMarks, resultEnds } = script
    if (!decisionMarks.some((mark) => content.includes(mark))) return ''
    const from = Math.max(
      ...resultEnds.map((end) => (content.includes(end) ? content.lastIndexOf(end) + end.length : 0)),
    )
    const rest = content.slice(from)
    const ends = [...blockMarks, ...decisionMarks].map((mark) => rest.indexOf(mark)).filter((at) => at >= 0)
    return clipLine(rest.slice(0, Math.min(rest.length, ...ends)), requestLimit)
  }

  function follow(content: string): void {
    const value = objectIn(content)
    const delta = value?.state_delta
    if (typeof delta === 'object' && delta !== null) trail.length = 0
    if (!Array.isArray(value?.calls)) return
    const tools = value.calls.map((call: Call) => call.tool)
    trail.push(...(tools.length === 0 ? ['end'] : tools))
  }

  function has(tool: string): boolean {
    return trail.includes(tool)
  }

  /** True where the last message shows the note, and it has the text of all edits. */
  function isWritten(): boolean {
    const read = messages.at(-1)?.content ?? ''
    return script.edits.every(([, written]) => read.includes(written))
  }

  function isChange(): boolean {
    const asked = task.toLowerCase()
    return script.changeMarks.some((mark) => asked.includes(mark))
  }

  /** Returns the step in the last message that names one. */
  function step(): AgentDecision['step'] {
    const told = messages
      .filter(({ role }) => role === 'user')
      .flatMap(({ content }) => [...content.matchAll(/^(?:ステップ|Step): ([A-Z_]+)$/gm)])
    const step = told.at(-1)?.[1]
    return step === 'EXECUTION' || step === 'REVIEW' || step === 'AWAITING_APPROVAL' ? step : 'PLANNING'
  }

  /** Returns a free name, since the folder was listed first; a note of this session keeps its name. */
  function notePath(): string {
    const written = messages
      .filter(({ role }) => role === 'assistant')
      .map(({ content }) => /"tool":"propose_plan".*?"path":"([^"]+)"/.exec(content)?.[1])
      .findLast((path) => path !== undefined)
    if (has('propose_plan') && written !== undefined) return written
    const seen = messages.map(({ content }) => content).join('\n')
    for (let number = 1; ; number++) {
      const path = number === 1 ? `${noteName}.md` : `${noteName}-${number}.md`
      if (!seen.includes(path)) return path
    }
  }

  function filled(line: string): string {
    return line.replaceAll('{{path}}', () => notePath()).replaceAll('{{request}}', () => task)
  }

  function decide(
    rationale: string,
    next_step: AgentDecision['next_step'],
    step: AgentDecision['step'],
    goal: string | null,
  ): AgentDecision {
    const { checks, whyNow, delta } = script
    return {
      rationale,
      goal_consistency: { answer: 'yes', reason: checks.goal },
      constraint_check: { answer: 'yes', reason: checks.constraint },
      next_step,
      step,
      prompt_pattern: next_step === 'continue' ? 'base_main_specialized' : 'base_main',
      state_delta:
        goal === null
          ? null
          : {
              goal,
              why_now: whyNow,
              constraints: null,
              plan_brief: null,
              open_questions: null,
              summary: delta,
            },
    }
  }

  return { decision, reply, calls }
}

function objectIn(content: string): Record<string, unknown> | undefined {
  const value = parseJson(content)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}
