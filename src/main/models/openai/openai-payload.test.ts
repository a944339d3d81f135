import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isAppError } from '../../../shared/errors.ts'
import type { ChatMessage, ChatRequest } from '../client/model-client.ts'
import { controlStringsOf } from '../completion/break-control-strings.ts'
import { chatBody, completionAsChat, completionBody, isStrict, type PayloadFrame } from './openai-payload.ts'

const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }
const schema = z.toJSONSchema(z.object({ a: z.string() }))

function frame(changes: Partial<PayloadFrame> = {}): PayloadFrame {
  return { flavour: 'llama.cpp', model: 'm', controls: controlStringsOf([]), refused: new Set(), ...changes }
}

function request(changes: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: 'user', content: 'Hi' }],
    sampler,
    maxTokens: 9,
    stops: [],
    seed: 1,
    ...changes,
  }
}

describe('the body of a chat', () => {
  it('is the same for the same conversation, whatever else is asked in between', () => {
    const messages: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
    const before = JSON.stringify(chatBody(request({ messages, tools: [tool] }), frame(), true))
    chatBody(request({ messages, constraint: { kind: 'json-schema', schema } }), frame(), true)
    expect(JSON.stringify(chatBody(request({ messages, tools: [tool] }), frame(), true))).toBe(before)
  })

  it('keeps tools beside a schema, forbids them where told to, and never names one', () => {
    const constraint = { kind: 'json-schema', schema } as const
    expect(chatBody(request({ tools: [tool], constraint, toolChoice: 'none' }), frame(), true)).toMatchObject(
      {
        tools: [{ type: 'function', function: { name: 'look' } }],
        tool_choice: 'none',
        response_format: { type: 'json_schema', json_schema: { schema, strict: true } },
      },
    )
    expect(chatBody(request({ tools: [tool] }), frame(), true)).not.toHaveProperty('tool_choice')
  })

  it('carries thoughts in their own field, without control strings, until the server refuses that field', () => {
    const toolCalls = [{ id: 'a', name: 'look', arguments: '{}' }]
    const reasoning = { field: 'reasoning_content', text: 'Hm <|im_start|>.' } as const
    const messages: ChatMessage[] = [{ role: 'assistant', content: '', toolCalls, reasoning }]
    const controls = controlStringsOf([])
    const sent = (refused: string[]) =>
      chatBody(request({ messages }), frame({ controls, refused: new Set(refused) }), true).messages[0]
    expect(sent([])).toMatchObject({
      tool_calls: [{ id: 'a' }],
      reasoning_content: expect.stringMatching(/^Hm /),
    })
    expect(JSON.stringify(sent([]))).not.toContain('<|im_start|>')
    expect(sent(['messages[0].reasoning_content'])).not.toHaveProperty('reasoning_content')
  })

  it('refuses a grammar where it would be refused or ignored', () => {
    const asked = request({ constraint: { kind: 'gbnf', grammar: 'root ::= "a"' }, tools: [tool] })
    const refusal = (work: () => unknown) => {
      try {
        work()
      } catch (error) {
        return isAppError(error) && error.info.code
      }
      return 'none'
    }
    expect(refusal(() => chatBody(asked, frame(), true))).toBe('model/bad-request')
    expect(refusal(() => chatBody(asked, frame({ flavour: 'ollama' }), false))).toBe('model/bad-request')
    expect(chatBody(asked, frame(), false)).toMatchObject({ grammar: 'root ::= "a"' })
  })

  it('leaves thinking out on a llama-server only, where it is known how', () => {
    const off = request({ isThinkingOff: true })
    expect(chatBody(off, frame(), false)).toHaveProperty('chat_template_kwargs')
    expect(chatBody(off, frame({ flavour: 'other' }), false)).not.toHaveProperty('chat_template_kwargs')
  })
})

describe('what the author forbids', () => {
  const { messages: _none, ...rest } = request()
  const bodyOf = (flavour: PayloadFrame['flavour'], changes: Partial<ChatRequest>) =>
    completionBody({ ...rest, ...changes, prompt: [] }, frame({ flavour }))

  it('goes to a llama-server as its `logit_bias` and `ignore_eos`', () => {
    const body = bodyOf('llama.cpp', { bannedStarts: [' Sudd', '突'], isEosBanned: true })
    expect(body).toMatchObject({
      logit_bias: [
        [' Sudd', false],
        ['突', false],
      ],
      ignore_eos: true,
    })
    expect(bodyOf('llama.cpp', {})).not.toHaveProperty('logit_bias')
  })

  it('goes to no server that would not know it', () => {
    for (const flavour of ['ollama', 'lm-studio', 'other'] as const) {
      const body = bodyOf(flavour, { bannedStarts: ['突'], isEosBanned: true })
      expect(body).not.toHaveProperty('logit_bias')
      expect(body).not.toHaveProperty('ignore_eos')
    }
    expect(bodyOf('vllm', { isEosBanned: true })).toMatchObject({ ignore_eos: true })
  })

  it('leaves an answer of a given form its end', () => {
    const constraint = { kind: 'gbnf', grammar: 'root ::= "a"' } as const
    expect(bodyOf('llama.cpp', { isEosBanned: true, constraint })).toMatchObject({ ignore_eos: false })
  })
})

describe('the body of a completion', () => {
  it('breaks control strings in the text, not in the markers', () => {
    const prompt = [
      { text: '<|im_start|>user\n', isSpecial: true },
      { text: 'a <|im_end|> b', isSpecial: false },
    ]
    const { messages: _none, ...rest } = request()
    const body = completionBody({ ...rest, prompt }, frame())
    expect(body.prompt).toBe('<|im_start|>user\na <\u2060|im_end|> b')
  })

  it('has our own grammar for a schema, since `response_format` is ignored there', () => {
    const { messages: _none, ...rest } = request({ constraint: { kind: 'json-schema', schema } })
    const body = completionBody({ ...rest, prompt: [{ text: 'a', isSpecial: false }] }, frame())
    expect(body.grammar).toMatch(/^root ::= /)
    expect(body).not.toHaveProperty('response_format')
  })
})

describe('isStrict', () => {
  it.each([
    [z.object({ a: z.string(), b: z.array(z.object({ c: z.int() })) }), true],
    [z.object({ a: z.string().optional() }), false],
    [z.object({ b: z.array(z.object({ c: z.int().optional() })) }), false],
    [z.looseObject({ a: z.string() }), false],
  ])('%# is %s', (shape, isWanted) => {
    expect(isStrict(z.toJSONSchema(shape))).toBe(isWanted)
  })
})

describe('a begun line where a server only chats', () => {
  const prompt = [
    { text: '[INST]', isSpecial: true },
    { text: 'Continue.', isSpecial: false },
    { text: '[/INST]', isSpecial: true },
    { text: 'It was', isSpecial: false },
  ]
  const rest = { sampler, maxTokens: 5, stops: [], seed: 1 }

  it('goes out with an instruction, and is taken away where the answer repeats it', () => {
    const chat = completionAsChat(
      {
        ...rest,
        prompt,
        unfinished: { line: 'It was', instruction: 'Write on:\nIt was' },
      },
      'instruction',
    )
    expect(chat.messages).toEqual([{ role: 'user', content: 'Continue.\n\nWrite on:\nIt was' }])
    expect(chat.repeated).toBe('It was')
  })
})
