import type { LlamaCore } from '../core.ts'
import { proseFrom } from '../model-words.ts'
import { Refusal } from '../refusal.ts'
import type { Work } from '../work.ts'
import type { Constraint } from './constraint.ts'
import { grammarConstraint, schemaConstraint } from './constraint.ts'
import { type Body, readParams } from './params.ts'

/** A plain completion that wants words. Its `response_format` is ignored, as the server does. */
export function readCompletionWork(core: LlamaCore, path: string, body: unknown): Work {
  if (Array.isArray(body)) {
    throw new Refusal(400, '[json.exception.type_error.304] cannot use at() with array')
  }
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Body
  if (!('prompt' in fields)) {
    throw new Refusal(400, "[json.exception.out_of_range.403] key 'prompt' not found")
  }
  const promptTokens = readPrompt(core, fields.prompt)
  const params = readParams(fields)
  const constraint = readConstraint(fields)
  return {
    params,
    promptTokens,
    asked: {
      path,
      body: fields,
      messages: [],
      tools: [],
      schema: constraint?.schema ?? null,
      prompt: core.vocabulary.decode(promptTokens),
    },
    form: { readsCalls: false, thoughts: 'tags', hasThinkingTemplate: false, prefill: '' },
    fallback: () => ({ text: constraint?.sample(params.seed) ?? proseFrom(params.seed) }),
  }
}

/** Reads the constraint; a grammar takes precedence over a schema. */
function readConstraint(fields: Body): Constraint | null {
  const prefix = `Field 'json_schema': "json_schema": JSON schema conversion failed:\n`
  if (typeof fields.grammar === 'string' && fields.grammar !== '') return grammarConstraint(fields.grammar)
  return fields.json_schema === undefined ? null : schemaConstraint(fields.json_schema, prefix)
}

/** A string, token ids, both mixed, or an object with a string; several prompts at once are not done here. */
function readPrompt(core: LlamaCore, prompt: unknown): number[] {
  if (typeof prompt === 'string') return core.vocabulary.encode(prompt)
  if (Array.isArray(prompt)) {
    if (prompt.length === 0) throw new Refusal(400, '"prompt" must not be empty')
    return prompt.flatMap((part) => readPromptPart(core, part))
  }
  const inner = (prompt as { prompt_string?: unknown } | null)?.prompt_string
  if (typeof inner === 'string') return core.vocabulary.encode(inner)
  throw new Refusal(
    400,
    '"prompt" elements must be a string, a list of tokens, a JSON object containing a prompt string, or a list of mixed strings & tokens.',
  )
}

function readPromptPart(core: LlamaCore, part: unknown): number[] {
  if (typeof part === 'number' && core.vocabulary.bytesOf(part) === null) {
    throw new Refusal(400, 'Prompt contains invalid tokens')
  }
  return typeof part === 'number' ? [part] : readPrompt(core, part)
}
