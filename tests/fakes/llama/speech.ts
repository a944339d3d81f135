import type { Answer } from './answer.ts'
import { callText } from './chat-template.ts'
import { randomId } from './reply.ts'
import { spacedJson } from './spaced-json.ts'
import type { Vocabulary } from './vocabulary.ts'

export type ShownCall = { index: number; id: string; name: string }

/** Where a token of output goes: nowhere are the tags and names that the server reads itself. */
export type Shown = { kind: 'text' | 'reasoning' | 'hidden' } | { kind: 'call'; call: ShownCall }

export type SpokenToken = { id: number; shown: Shown }

export type SpeechForm = {
  /** Whether calls in the output are read as calls; else they are text. */
  readsCalls: boolean
  /** How thoughts are shown: `field` as `reasoning_content`, `tags` in the text. */
  thoughts: 'field' | 'tags'
  hasThinkingTemplate: boolean
}

const text: Shown = { kind: 'text' }
const hidden: Shown = { kind: 'hidden' }

/** The tokens that the model says for an answer, without the end of turn, each with where it is shown. */
export function tokensOf(answer: Answer, form: SpeechForm, vocabulary: Vocabulary): SpokenToken[] {
  const said: SpokenToken[] = []
  const say = (words: string, shown: Shown) => {
    for (const id of vocabulary.encode(words, false)) said.push({ id, shown })
  }
  const sayPieces = (pieces: readonly string[], shown: Shown) => {
    for (const piece of pieces) said.push({ id: vocabulary.encodePiece(piece), shown })
  }
  if (answer.reasoning !== undefined) {
    const tags = form.thoughts === 'tags' ? text : hidden
    const thought: Shown = form.thoughts === 'tags' ? text : { kind: 'reasoning' }
    say('<think>\n', tags)
    say(answer.reasoning, thought)
    say('\n</think>\n\n', tags)
  }
  const words = answer.text ?? ''
  if (typeof words !== 'string') sayPieces(words, text)
  else sayText(words, form, say)
  const calls = answer.toolCalls ?? []
  for (const [index, { name, arguments: given }] of calls.entries()) {
    const argumentsText = typeof given === 'string' ? given : spacedJson(given)
    const [head = '', tail = ''] = splitOnce(callText(name, '\0'), '\0')
    const shown: Shown = { kind: 'call', call: { index, id: randomId(), name } }
    if (said.length > 0) say('\n', form.readsCalls ? hidden : text)
    say(head, form.readsCalls ? hidden : text)
    say(argumentsText, form.readsCalls ? shown : text)
    say(tail, form.readsCalls ? hidden : text)
  }
  return said
}

/** Text that begins with a thought in tags is read as the template's format wants it. */
function sayText(words: string, form: SpeechForm, say: (words: string, shown: Shown) => void): void {
  const match =
    form.hasThinkingTemplate && form.thoughts === 'field'
      ? /^(<think>\n?)([\s\S]*?)(<\/think>\s*)([\s\S]*)$/.exec(words)
      : null
  const [, open = '', thought = '', close = '', rest = words] = match ?? []
  say(open, hidden)
  say(thought, { kind: 'reasoning' })
  say(close, hidden)
  say(rest, text)
}

function splitOnce(whole: string, separator: string): [string, string] {
  const at = whole.indexOf(separator)
  return [whole.slice(0, at), whole.slice(at + separator.length)]
}
