import type { Answer } from '../answer.ts'
import { callText } from '../requests/chat-template.ts'
import { spacedJson } from '../requests/spaced-json.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { randomId } from './reply.ts'

export type ShownCall = { index: number; id: string; name: string }

/** The part of the reply where output is shown; `hidden` are tags and names that the server itself reads. */
export type Shown = { kind: 'text' | 'reasoning' | 'hidden' } | { kind: 'call'; call: ShownCall }

/** A token of output, and where its bytes are shown. */
export type SpokenToken = { id: number; parts: readonly { bytes: Buffer; shown: Shown }[] }

export type SpeechForm = {
  /** Whether calls in the output are read as calls; else they are text. */
  readsCalls: boolean
  /** How thoughts are shown: `field` as `reasoning_content`, `tags` in the text. */
  thoughts: 'field' | 'tags'
  hasThinkingTemplate: boolean
  /** What the assistant had begun to say; it is in the prompt already. */
  prefill: string
}

type Passage = { words: string | readonly string[]; shown: Shown }

const text: Shown = { kind: 'text' }
const hidden: Shown = { kind: 'hidden' }

/** The tokens that the model says for an answer, without the end of turn. */
export function tokensOf(answer: Answer, form: SpeechForm, vocabulary: Vocabulary): SpokenToken[] {
  const thought = answer.reasoning === undefined ? [] : thoughtPassages(answer.reasoning, form)
  const words = answer.text ?? ''
  const said = typeof words === 'string' ? textPassages(words, form) : [{ words, shown: text }]
  const calls = (answer.toolCalls ?? []).flatMap((call, index): Passage[] => {
    const given = typeof call.arguments === 'string' ? call.arguments : spacedJson(call.arguments)
    const [head = '', tail = ''] = callText(call.name, '\0').split('\0')
    const isBegun = index === 0 && form.prefill.startsWith('<tool_call>')
    const isFirst = index === 0 && words.length === 0
    const opening = (isFirst ? '' : '\n') + (isBegun ? head.replace(/^<tool_call>\n/, '') : head)
    if (!form.readsCalls) return [{ words: opening + given + tail, shown: text }]
    const shown: Shown = { kind: 'call', call: { index, id: randomId(), name: call.name } }
    return [
      { words: opening, shown: hidden },
      { words: given, shown },
      { words: tail, shown: hidden },
    ]
  })
  return encodePassages([...thought, ...said, ...calls], vocabulary)
}

function thoughtPassages(thought: string | readonly string[], form: SpeechForm): Passage[] {
  // The line end before the closing tag is shown as part of the thought.
  const whole = typeof thought === 'string' ? `${thought.replace(/\n$/, '')}\n` : thought
  const isTagged = form.thoughts === 'tags'
  return [
    { words: '<think>\n', shown: isTagged ? text : hidden },
    { words: whole, shown: isTagged ? text : { kind: 'reasoning' } },
    { words: '</think>\n\n', shown: isTagged ? text : hidden },
  ]
}

/** Text that begins with a thought in tags is read as the template's format wants it. */
function textPassages(words: string, form: SpeechForm): Passage[] {
  const readsThoughts = form.hasThinkingTemplate && form.thoughts === 'field'
  const match = readsThoughts ? /^(<think>\n?)([\s\S]*?)(<\/think>\s*)([\s\S]*)$/.exec(words) : null
  const [, open = '', thought = '', close = '', rest = words] = match ?? []
  return [
    { words: open, shown: hidden },
    { words: thought, shown: { kind: 'reasoning' } },
    { words: close, shown: hidden },
    { words: rest, shown: text },
  ]
}

/**
 * Encodes consecutive output as a whole, as when the chat is read back, so that a token may span two passages. In a
 * list, each piece is one token.
 */
function encodePassages(passages: readonly Passage[], vocabulary: Vocabulary): SpokenToken[] {
  const tokens: SpokenToken[] = []
  let row: { bytes: Buffer; shown: Shown }[] = []
  const endRow = () => {
    const whole = row.map(({ bytes }) => bytes.toString('utf8')).join('')
    for (const id of vocabulary.encode(whole, false)) {
      tokens.push({ id, parts: takeBytes(row, vocabulary.bytesOf(id)?.length ?? 0) })
    }
    row = []
  }
  for (const { words, shown } of passages) {
    if (typeof words === 'string') {
      row.push({ bytes: Buffer.from(words), shown })
      continue
    }
    endRow()
    for (const piece of words) {
      tokens.push({ id: vocabulary.encodePiece(piece), parts: [{ bytes: Buffer.from(piece), shown }] })
    }
  }
  endRow()
  return tokens
}

/** Takes bytes from the front of a row. */
function takeBytes(row: { bytes: Buffer; shown: Shown }[], count: number): SpokenToken['parts'] {
  const parts: { bytes: Buffer; shown: Shown }[] = []
  let missing = count
  while (missing > 0) {
    const [first] = row
    if (first === undefined) break
    const bytes = first.bytes.subarray(0, missing)
    if (bytes.length > 0) parts.push({ bytes, shown: first.shown })
    missing -= bytes.length
    first.bytes = first.bytes.subarray(bytes.length)
    if (first.bytes.length === 0) row.shift()
  }
  return parts
}
