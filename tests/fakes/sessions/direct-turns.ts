import type { SessionState } from '../../../src/shared/domain/session/session.ts'
import type { SessionItem } from '../../../src/shared/domain/session/session-item.ts'
import type { AskedRequest } from '../servers/llama/answer.ts'
import { calls, isForSuggestion, type Thought } from './scripted-mind.ts'
import { openSessionHost } from './session-host.ts'

/** A turn of a model that calls tools by itself: its answers, and the number of requests of a plain loop. */
export type DirectTurn = {
  name: string
  message: string
  files: Record<string, string>
  thoughts: Thought[]
  requests: number
  /**
   * Maximum ratio of the whole turn's prompt tokens to those of a plain loop. Source:
   * `docs/decisions/direct-path.md`, Goals.
   */
  ratio: number
  promptTokens: number
}

const rule = 'export function isLeap(year) {\n  return year % 4 === 0\n}\n'
const test =
  "import { isLeap } from './date.mjs'\n\nif (isLeap(1900)) throw new Error('1900 is no leap year')\n"
const edit = (path: string, old_text: string, new_text: string): [string, Record<string, unknown>] => [
  'edit',
  { path, old_text, new_text, reason: 'asked for' },
]
const four = ['a.txt', 'b.txt', 'c.txt', 'd.txt']
const runTest: [string, Record<string, unknown>] = [
  'run_command',
  { line: 'node date.test.mjs', reason: 'see whether it holds' },
]

/** The turns of the table of goals. */
export function directTurns(): DirectTurn[] {
  return [
    {
      name: 'small talk',
      message: 'Good morning!',
      files: {},
      thoughts: [{ say: 'Good morning. What shall we do?' }],
      requests: 1,
      ratio: 1.1,
      promptTokens: 2_700,
    },
    {
      name: 'question about one file',
      message: 'What does date.mjs do?',
      files: { 'date.mjs': rule },
      thoughts: [
        calls(['read_file', { path: 'date.mjs' }]),
        { say: 'It says whether a year is a leap year, by the rule of four alone.' },
      ],
      requests: 2,
      ratio: 1.1,
      promptTokens: 5_600,
    },
    {
      name: 'read, edit, test',
      message: '1900 is no leap year. Correct date.mjs and run the test.',
      files: { 'date.mjs': rule, 'date.test.mjs': test },
      thoughts: [
        calls(['read_file', { path: 'date.mjs' }]),
        calls(edit('date.mjs', 'year % 4 === 0', 'year % 4 === 0 && year % 100 !== 0')),
        calls(runTest),
        { say: 'Corrected: 1900 is no leap year now, and the test passes.' },
      ],
      requests: 4,
      ratio: 1.15,
      promptTokens: 11_000,
    },
    {
      name: 'run the tests again',
      message: 'Run the test again.',
      files: { 'date.mjs': rule, 'date.test.mjs': test },
      thoughts: [calls(runTest), { say: 'The test fails: 1900 counts as a leap year.' }],
      requests: 2,
      ratio: 1.1,
      promptTokens: 5_600,
    },
    {
      name: 'four files, seven changes, one answer',
      message: 'Write colour and grey for color and gray in all four files.',
      files: Object.fromEntries(four.map((path) => [path, `color of ${path}\ngray of ${path}\n`])),
      thoughts: [
        calls(...four.map((path): [string, Record<string, unknown>] => ['read_file', { path }])),
        calls(
          ...four.map((path) => edit(path, `color of ${path}`, `colour of ${path}`)),
          ...four.slice(0, 3).map((path) => edit(path, `gray of ${path}`, `grey of ${path}`)),
        ),
        { say: 'All four files are changed; d.txt keeps its gray.' },
      ],
      requests: 3,
      ratio: 1.1,
      promptTokens: 12_000,
    },
  ]
}

type ChatBody = Pick<AskedRequest, 'messages'> & { max_tokens?: number; tools?: unknown }

/** The parts before the conversation in each request: the base text and the declared tools. */
export type SentHead = { system: string; tools: unknown }

/** A turn as it was played. Units: tokens of all its prompts, as the server counts them. */
export type PlayedTurn = {
  requests: number
  promptTokens: number
  head: SentHead
  state: SessionState
  items: SessionItem[]
  /** Errors without a code, and scripted answers that were not requested. */
  oddities: unknown[]
}

/** Plays a turn on the direct path, and counts what its requests cost. */
export async function playDirectTurn(
  { thoughts, files, message }: Pick<DirectTurn, 'thoughts' | 'files' | 'message'>,
  place: { root?: string; dataDir?: string } = {},
): Promise<PlayedTurn> {
  const session = await openSessionHost({ thoughts, files, decideFirst: 'auto', ...place })
  const { mind } = session
  try {
    await session.say(message)
    const state = await session.approveAll()
    const items = await session.items()
    const oddities = [...session.bugs, ...mind.left]
    const { llama } = session
    const bodies = llama.requests.flatMap(({ path, body }) =>
      path.endsWith('/chat/completions') ? [body as ChatBody] : [],
    )
    const own = bodies.filter((body) => !isForSuggestion(body) && body.max_tokens !== 1)
    mind.think(...own.map((): Thought => ({ say: '.' })))
    const count = async (body: ChatBody): Promise<number> => {
      const answer = await fetch(`${llama.address}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: false, stream_options: undefined, max_tokens: 2 }),
      })
      const { usage } = (await answer.json()) as { usage: { prompt_tokens: number } }
      return usage.prompt_tokens
    }
    let promptTokens = 0
    for (const body of own) promptTokens += await count(body)
    const [first] = own
    const system = String(first?.messages.find(({ role }) => role === 'system')?.content ?? '')
    const head = { system, tools: first?.tools }
    return { requests: own.length, promptTokens, head, state, items, oddities }
  } finally {
    await session.close()
  }
}
