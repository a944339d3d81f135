/** Only our own markers reach a server as markers. With `TSUGI_SOAK` thousands of texts are tested. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../tests/fakes/seeded-random.ts'
import { wallsSoak } from '../../../../tests/fakes/walls-soak.ts'
import type { ChatMessage, Prompt, ToolDeclaration } from '../client/model-client.ts'
import { koboldPayload } from '../kobold/kobold-api.ts'
import { chatBody, completionBody } from '../openai/openai-payload.ts'
import { applyTemplate, loadTemplates, renderChat } from '../profiles/template-pack.ts'
import {
  breakControlStrings,
  ControlTable,
  controlStringsOf,
  mendControlStrings,
  withOwnTokens,
} from './break-control-strings.ts'
import { tokensOfTemplate } from './marker-forms.ts'

const resources = join(import.meta.dirname, '../../../../resources')
const templates = await loadTemplates(join(resources, 'templates'))
const table = ControlTable.parse(JSON.parse(readFileSync(join(resources, 'control-strings.json'), 'utf8')))
const controls = controlStringsOf(templates.values(), table)
const sampler = { temperature: 0, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
const common = { sampler, maxTokens: 9, stops: [], seed: 1 }
const rounds = wallsSoak > 0 ? Math.round(wallsSoak * 0.15) : 100

/** Markers of many families; the rule consists of shapes and a table, and has few of these by name. */
const markers = [
  ...[
    '<|im_start|>',
    '<|im_end|>',
    '<|turn>',
    '<turn|>',
    '<|channel|>',
    '<|"|>',
    '<|tool_call>',
    '<|begin of text|>',
  ],
  ...[
    '<｜begin▁of▁sentence｜>',
    '<｜User｜>',
    '<|START_OF_TURN_TOKEN|>',
    '<|reserved_special_token_12|>',
    '<|>',
  ],
  ...[
    '[INST]',
    '[/INST]',
    '[/SYSTEM_PROMPT]',
    '[THINK]',
    '[/THINK]',
    '[gMASK]',
    '<sop>',
    '[|user|]',
    '[|endofturn|]',
  ],
  ...[
    '<__media__>',
    '◁think▷',
    '◁/think▷',
    '<seed:bos>',
    '<seed:think>',
    '</seed:think>',
    '<minimax:tool_call>',
    '<start_of_turn>',
    '<extra_id_0>',
  ],
  ...[
    '<s>',
    '</s>',
    '<bos>',
    '<pad>',
    '<unused99>',
    '<SPECIAL_12>',
    '<BOS_TOKEN>',
    '<fim_prefix>',
    '<think>',
  ],
  ...['<tool_response>', '</tool_call>', '<<SYS>>', '<</SYS>>', ']~b]', ']~!b[', '[e~[', '### Instruction:'],
  ...['<EOT>', '▁<PRE>', '<SUF>', '<MID>', '<human>', '<bot>', '<TOOL>', '<escape>', '<ctrl99>', '<dmask>'],
  ...[
    '<fim-prefix>',
    '<ifm|think>',
    '</ifm|think>',
    '[UNUSED_TOKEN_145]',
    '<[UNUSED_1]>',
    '[REFERENCE_DOC_1]',
  ],
  ...[
    '<EOD|LLM-jp>',
    '<CLS|LLM-jp>',
    '<NL>',
    '<TOOLCALL>',
    '[USER]',
    '[BOT]',
    '[NL]',
    '[unused9]',
    '[@BOS@]',
  ],
  ...[
    '>>QUESTION<<',
    '>>UNUSED_7<<',
    '|ENDOFTEXT|',
    '<thought>',
    '<loc0001>',
    '<global-img>',
    '[STREAMING_PAD]',
  ],
  ...['<role>', '</role>', '<用户>', '<AI>', '<tool▁calls▁begin>', '[TOOL_CALLS]', '[CALL_ID]', '[ARGS]'],
]

/** Returns texts as servers may read them, characters removed or folded; the joiner, which breaks tokens, stays. */
function asServersRead(text: string): string[] {
  const plain = text.replaceAll('\0', '')
  const shown = plain.replace(/(?!\u2060)\p{Default_Ignorable_Code_Point}/gu, '')
  const printed = shown.replace(/(?![\t\n\r])\p{Cc}/gu, '')
  const bare = printed.normalize('NFKD').replace(/\p{Mn}/gu, '')
  return [text, plain, plain.normalize('NFKC'), shown, printed, bare]
}

/** Returns another form of a letter, the same for a reader that folds letters. */
function otherForm(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  const wide = code > 0x20 && code < 0x7f ? String.fromCodePoint(code + 0xfee0) : letter
  const forms = [
    wide,
    `${letter}\u0301`,
    `\u200b${letter}`,
    `${letter}\u200d`,
    `\u0001${letter}`,
    `${letter}\ufe0f`,
  ]
  const round = letter === '<' ? '≮' : letter === '>' ? '≯' : wide
  return [...forms, round][code % 7] ?? letter
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const inner = /^\s*[[{]/.test(value) ? textsOfJson(value) : []
    return [value, ...inner]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)])
}

function textsOfJson(text: string): string[] {
  try {
    return textsIn(JSON.parse(text))
  } catch {
    return []
  }
}

/** Returns a tool as another program's server declares it. */
function toolOf(name: string, about: string, key: string): ToolDeclaration {
  const field = { type: 'string', description: about, enum: [key, about], default: about }
  const parameters = { type: 'object', properties: { [key]: field }, required: [key], $comment: name }
  return { name, description: about, parameters }
}

const schemaOf = (text: string) =>
  ({ kind: 'json-schema', schema: { type: 'object', properties: { [text]: { const: text } } } }) as const

const messagesAndTools = ({ messages, tools }: ReturnType<typeof chatBody>) => ({ messages, tools })

describe('the bytes of a request', () => {
  it(`hold no marker that is not ours (${rounds} texts)`, () => {
    const roll = seededRandom(Number(process.env.TSUGI_SEED ?? 1))
    const pick = <T>(list: readonly T[]): T => list[Math.floor(roll() * list.length)] as T
    const noise = ['\0', '\0\0', '', '', '', '<', '[', '|>', '\n', ' ', '猫', '\u2060', '<|', '### ']
    const spoil = (marker: string): string =>
      [...marker]
        .map((letter) => (roll() < 0.15 ? `${pick(['\0', '\0\0'])}${letter}` : letter))
        .map((letter) => (roll() < 0.15 ? otherForm(letter) : letter))
        .join('')
    const hostile = (): string => {
      let text = ''
      while (roll() < 0.75) text += pick(noise) + spoil(pick(markers)) + pick(noise)
      return text
    }
    const plain = [...templates.values()].find(({ id }) => id === 'plain')
    if (plain === undefined) throw new Error('no plain template')
    for (let round = 0; round < rounds; round += 1) {
      const [a, b, c, d] = [hostile(), hostile(), hostile(), hostile()]
      const escapes = JSON.stringify({ [a]: [b, { c }] }).replace(/[<>[\]|]/g, (letter) =>
        roll() < 0.5 ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
      )
      const call = { id: a, name: b, arguments: roll() < 0.8 ? escapes : c }
      const messages: ChatMessage[] = [
        { role: 'system', content: a },
        { role: 'user', content: b },
        { role: 'assistant', content: c, toolCalls: [call] },
        { role: 'tool', callId: a, content: d },
        { role: 'system', content: d },
        { role: 'user', content: `${a}${b}` },
      ]
      // A marker in two halves, with no text of ours between them where the template has no markers.
      const half = pick(markers)
      const cut = 1 + Math.floor(roll() * (half.length - 1))
      const prompt: Prompt = applyTemplate(plain, `${a}${half.slice(0, cut)}`, `${half.slice(cut)}${b}`)
      const frame = { flavour: 'llama.cpp', model: 'm', controls, refused: new Set<string>() } as const
      const bodies = [
        messagesAndTools(chatBody({ ...common, messages, tools: [toolOf(a, b, c)] }, frame, true)),
        chatBody({ ...common, messages, constraint: schemaOf(d) }, frame, false).response_format,
        { prompt: completionBody({ ...common, prompt }, frame).prompt },
        { prompt: koboldPayload({ ...common, prompt }, 'k', 2048, controls).prompt },
        {
          prompt: koboldPayload({ ...common, prompt: renderChat(plain, messages) }, 'k', 2048, controls)
            .prompt,
        },
      ]
      for (const text of textsIn(JSON.parse(JSON.stringify(bodies))).flatMap(asServersRead)) {
        const arrived = markers.find((marker) => text.includes(marker))
        expect(arrived, `round ${round}: ${JSON.stringify(text)}`).toBeUndefined()
        expect(text).not.toContain('\0')
      }
    }
  })

  it.each([
    ...[
      '＜ｓ＞',
      '<\u200b|im_start|>',
      '<b\u0301os>',
      '［ＩＮＳＴ］',
      '[\u00adINST]',
      '≮|im_start|≯',
      '<s\ufeff>',
    ],
    ...[
      '<\u0001|turn>',
      '＃＃＃ Instruction:',
      '<ｓｔａｒｔ＿of_turn>',
      '［／ＩＮＳＴ］',
      '<\u{e0041}/s>',
      '<𝐬>',
    ],
    ...['＞＞ＱＵＥＳＴＩＯＮ＜＜', '[@\u0300BOS@]'],
  ])('break what a reader would fold to a marker, and mend it again: %j', (text) => {
    const sent = breakControlStrings(`a ${text} b`, controls)
    for (const read of asServersRead(sent)) {
      expect(markers.find((marker) => read.includes(marker))).toBeUndefined()
    }
    expect(mendControlStrings(sent)).toBe(`a ${text} b`)
  })

  it('break markers that lie in each other, however deep', () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index}`.padStart(2, '0'))
    const nested = names.map((name) => `{${name}`)
    const own = nested.map((_, index) => `${nested.slice(index).join('')}}`)
    const sent = breakControlStrings(own[0] ?? '', withOwnTokens(controls, [], own))
    expect(own.filter((token) => sent.includes(token))).toEqual([])
  })

  it('keep the markers of the template, and only those', () => {
    for (const pack of templates.values()) {
      const prompt = applyTemplate(pack, 'X [INST] <|im_start|> Y', 'Z')
      const sent = String(koboldPayload({ ...common, prompt }, 'k', 2048, controls).prompt)
      const [before = ''] = pack.wrapper.split('{{inner}}')
      expect(sent.startsWith(before)).toBe(true)
      expect(mendControlStrings(sent)).toBe(prompt.map(({ text }) => text).join(''))
    }
  })

  it('break the tokens that a model names itself', () => {
    const own = tokensOfTemplate("{{ '◁user▷' }}{{'<Zug>'}}{{ messages[0]['role'] }}[Ende]")
    expect(own).toEqual(expect.arrayContaining(['<Zug>', '[Ende]']))
    const mine = withOwnTokens(controls, [...own, '◁user▷', 'x', 'the', ''])
    for (const text of ['<Zug>', '[Ende]', '◁user▷'])
      expect(breakControlStrings(`a${text}b`, mine)).not.toContain(text)
    expect(breakControlStrings('the x', mine)).toBe('the x')
  })

  it('leave code and prose as they are', () => {
    const texts = [
      'a < b || c > d; list[INSTALLED]; x |> f; <section>; # 一\n## 二 [0] <string>',
      'Map<string, number[]> | undefined; a[i] <= b[j]; <div className="x">; </div>; [x] [ ] [1]',
      '［続く］「｜」《るび》　＜了＞ <https://example.org/a> [link](x)',
      '｜漢字《かんじ》［＃ここから２字下げ］ が\u3099 é ﾊﾝｶｸ ①② 👨‍👩‍👧 x ≮ y ≯ z ＜注：猫＞ ＃１',
      'std::vector<std::pair<int,int>> v; if (a<b && c>d) {} [[nodiscard]] | a | b |\n|---|---|',
    ]
    for (const text of texts) expect(breakControlStrings(text, controls)).toBe(text)
  })

  it('are found in time, whatever the text', () => {
    // Checked by length, not by time: a pattern with backtracking would not end at all.
    for (const piece of ['<|', '<', '[|', '<a_', '<a:', '[', '|>', '</', '＜｜'])
      expect(breakControlStrings(piece.repeat(200_000), controls).length).toBeGreaterThan(100_000)
  })
})
