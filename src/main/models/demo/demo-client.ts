import { join } from 'node:path'
import { z } from 'zod'
import { delay } from '../../../shared/delay.ts'
import type { CompletionEnd } from '../../../shared/domain/model/model-status.ts'
import type { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import type { Clock } from '../../deps.ts'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import {
  type CompletionRequest,
  type ContextWindow,
  type ModelClient,
  type ModelEvents,
  promptText,
} from '../client/model-client.ts'
import { checkRoom } from '../completion/request-check.ts'
import { inTurn, RequestQueue } from '../completion/request-queue.ts'
import { usageEvent } from '../completion/request-usage.ts'
import { StopCutter } from '../completion/stop-cutter.ts'
import { sampleSchema } from '../discovery/schema-sample.ts'
import { chatCompletion, renderChat } from '../profiles/template-pack.ts'

const text = z.string().min(1)
const marks = z.array(text).min(1)

/**
 * The demo's texts in a session. `{{request}}` is the user's message, `{{path}}` the note's name.
 *
 * Shape: `changeMarks` tell a request to change something from a question; the other marks are of our prompts,
 * in both languages.
 */
const DemoSessionScript = z.object({
  changeMarks: marks,
  blockMarks: marks,
  decisionMarks: marks,
  resultEnds: marks,
  summaryMarks: marks,
  answer: text,
  declined: text,
  summary: text,
  rationales: z.object({ answer: text, plan: text, execute: text, declined: text }),
  checks: z.object({ goal: text, constraint: text }),
  whyNow: text,
  delta: text,
  plan: z.object({ title: text, purpose: text, steps: z.tuple([text, text]), criteria: text }),
  reasons: z.object({ write: text, edit: text }),
  content: text,
  edits: z.array(z.tuple([text, text])).min(1),
  improvement: text,
  problem: text,
})

/**
 * Data: `resources/demo/<language>.json`.
 *
 * Shape: `session` answers conversations that begin with instructions of the system; `ideas` answers a prompt that
 * begins with an instruction that has one of `ideaMarks`; the continuations answer all others in turn.
 */
export const DemoScript = z.object({
  continuations: z.array(z.string().min(1)).min(1),
  /** Continuations of texts that end in `after`. */
  samples: z.array(z.object({ after: z.string().min(1), continuations: z.array(z.string().min(1)).min(1) })),
  ideaMarks: z.array(z.string().min(1)),
  ideas: z.string(),
  session: DemoSessionScript,
})
export type DemoScript = z.infer<typeof DemoScript>

type DemoScripts = Readonly<Record<'ja' | 'en', DemoScript>>

/** Loads the texts of both languages from the folder of resources. */
export async function loadDemoScripts(resourcesDir: string): Promise<DemoScripts> {
  const load = async (language: 'ja' | 'en') =>
    DemoScript.parse(JSON.parse(await readSmallText(join(resourcesDir, 'demo', `${language}.json`))))
  const [ja, en] = await Promise.all([load('ja'), load('en')])
  return { ja, en }
}

type DemoClientOptions = {
  scripts: DemoScripts
  /** The language for texts whose language is not clear. */
  language: 'ja' | 'en'
  template: TemplatePack
  contextTokens: number | undefined
  /** Time between two tokens. */
  tokenMs?: number
}

const demoContextTokens = 32_768
const usualTokenMs = 25
/** Length of a drafting prompt's beginning, where its instruction is. Units: UTF-16 code units. */
const instructionLength = 60
/** Length of a drafting prompt's end, where the text's last words are. Units: UTF-16 code units. */
const tailLength = 400

const capabilities = {
  hasCounter: true,
  constraints: ['json-schema'],
  hasReuseCount: false,
  hasTools: false,
} as const

export type DemoClient = ReturnType<typeof createDemoClient>

/**
 * Creates a client with scripted text and no AI, so that everything can be tried without a model. The same seed and
 * prompt give the same text; it has its own tokens: one per word or character.
 */
export function createDemoClient(
  { clock }: { clock: Clock },
  { scripts, language, template, contextTokens, tokenMs = usualTokenMs }: DemoClientOptions,
) {
  const queue = new RequestQueue()
  const { reuse } = queue

  async function contextWindow(): Promise<ContextWindow> {
    if (contextTokens !== undefined) return { tokens: contextTokens, source: 'profile' }
    return { tokens: demoContextTokens, source: 'server' }
  }

  const countTokens: NonNullable<ModelClient['countTokens']> = async (
    prompt,
    _signal,
    { isPiece = false } = {},
  ) => demoTokens(promptText(prompt)).length + (isPiece ? 0 : 1)

  async function* write(
    request: CompletionRequest,
    signal: AbortSignal,
    say: (prompt: string) => Iterable<string> | Promise<Iterable<string>>,
  ): ModelEvents {
    const prompt = promptText(request.prompt)
    const promptTokens = await countTokens(prompt, signal)
    checkRoom(promptTokens, request.maxTokens, await contextWindow())
    const startedAt = clock.now()
    yield { type: 'phase', phase: 'reading', progress: null }
    await delay(clock, tokenMs, signal)
    const firstTokenAt = clock.now()
    yield { type: 'phase', phase: 'writing', progress: null }
    const cutter = new StopCutter(request.stops)
    let completionTokens = 0
    let text = ''
    let end: CompletionEnd = 'stop'
    for (const token of await say(prompt)) {
      if (completionTokens >= request.maxTokens) end = 'length'
      else if (signal.aborted) end = 'aborted'
      else if (cutter.isCut) end = 'stop-sequence'
      if (end !== 'stop') break
      completionTokens += 1
      const shown = cutter.push(token)
      text += shown
      if (shown !== '') yield { type: 'text', text: shown }
      // JSON is not shown while it is written, so it needs no delay.
      if (tokenMs > 0 && request.constraint === undefined)
        await delay(clock, tokenMs, signal).catch(() => undefined)
    }
    if (cutter.isCut && end === 'stop') end = 'stop-sequence'
    const rest = cutter.flush()
    text += rest
    if (rest !== '') yield { type: 'text', text: rest }
    const reusedTokens = reuse.estimate(prompt, promptTokens)
    reuse.remember(prompt, text)
    yield usageEvent({
      promptTokens,
      reusedTokens,
      isReuseEstimated: true,
      completionTokens,
      msPrompt: firstTokenAt - startedAt,
      msTotal: clock.now() - startedAt,
      isExact: true,
    })
    yield { type: 'done', stopReason: end }
  }

  function* answer(request: CompletionRequest, prompt: string): Generator<string, void, void> {
    // The text that is to be continued decides the language.
    const script = scripts[languageOfText(prompt) ?? language]
    if (request.constraint?.kind === 'json-schema')
      return yield* demoTokens(JSON.stringify(sampleSchema(request.constraint.schema)))
    const instruction = prompt.slice(0, instructionLength)
    if (script.ideaMarks.some((mark) => instruction.includes(mark))) return yield* demoTokens(script.ideas)
    const tail = prompt.slice(-tailLength)
    const sample = script.samples.find(({ after }) => tail.includes(after))
    const said = sample?.continuations ?? script.continuations
    for (let index = request.seed; ; index += 1) {
      yield* demoTokens(`${said[index % said.length]}\n`)
      if (request.isEosBanned !== true) return
    }
  }

  function complete(request: CompletionRequest, signal: AbortSignal): ModelEvents {
    return inTurn(queue, request, signal, (until) =>
      write(request, until, (prompt) => answer(request, prompt)),
    )
  }

  return {
    capabilities,
    get isBusy() {
      return queue.isBusy
    },
    get lastRead() {
      return reuse.last
    },
    async describe() {
      return { modelName: 'demo', version: null, context: await contextWindow(), needsKey: false }
    },
    contextWindow,
    countTokens,
    countChat: ({ messages }, signal) => countTokens(renderChat(template, messages), signal),
    complete,
    chat(request, signal) {
      const completion = chatCompletion(request, template)
      if (request.messages[0]?.role !== 'system') return complete(completion, signal)
      const said = async () => {
        const { demoSessionAnswer } = await import('./demo-session.ts')
        return demoTokens(demoSessionAnswer(scripts[language].session, request))
      }
      return inTurn(queue, completion, signal, (until) => write(completion, until, said))
    },
    dispose: async () => undefined,
  } satisfies ModelClient
}

/** Splits a text into words, each with the space before it, and other characters one by one. */
function demoTokens(text: string): string[] {
  return text.match(/ ?[\p{Script=Latin}\p{Nd}'’-]+|[\s\S]/gu) ?? []
}
