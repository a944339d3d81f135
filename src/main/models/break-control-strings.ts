import type { TemplatePack } from '../../shared/domain/template-pack.ts'
import type { ChatMessage, ModelEvent } from './model-client.ts'

/** A word joiner: no width, no line break, another token. */
const joiner = '\u2060'

/** Markers of other families than our templates: a server applies its own. `<|…|>` is every family's. */
const generalMarkers = [
  '<|…|>',
  '<｜…｜>',
  '<s>',
  '</s>',
  '<bos>',
  '<eos>',
  '<tool_call>',
  '</tool_call>',
  '<tool_response>',
  '</tool_response>',
  '[TOOL_CALLS]',
  '[TOOL_RESULTS]',
  '[/TOOL_RESULTS]',
  '[AVAILABLE_TOOLS]',
  '[SYSTEM_PROMPT]',
]
const broken = new RegExp(`([<[#])${joiner}`, 'g')
const bracketed = /<[|｜]?[\w/ -]+[|｜]?>|\[\/?[A-Z_]+\]/g

export type ControlStrings = RegExp

/** The strings that could open or close a turn: the templates' markers in brackets, or their stops. */
export function controlStringsOf(templates: Iterable<TemplatePack>): ControlStrings {
  const markers = new Set(generalMarkers)
  for (const { wrapper, stops, turnEnd = '' } of templates) {
    for (const text of [wrapper, turnEnd, ...stops]) {
      for (const [marker] of text.matchAll(bracketed)) markers.add(marker)
    }
    for (const stop of stops) {
      if (stop.search(bracketed) === -1) markers.add(stop.trim())
    }
  }
  const patterns = [...markers].map((marker) => escaped(marker).replace('…', '[^\\s<>|｜]{1,40}'))
  return new RegExp(patterns.join('|'), 'g')
}

/**
 * Text of a user, a tool or a file as a prompt may hold it: control strings in it look the same and are none.
 * Servers read them as tokens wherever they stand, and a file could speak as the user.
 *
 * Source: ../shared/llama-server/API.md, "tokenize, template": special tokens in the writer's text are parsed.
 */
export function breakControlStrings(text: string, controls: ControlStrings): string {
  return text.replace(controls, (marker) => `${marker.slice(0, 1)}${joiner}${marker.slice(1)}`)
}

/** The same for all that a conversation says; instructions of the system are ours. */
export function breakInMessages(messages: readonly ChatMessage[], controls: ControlStrings): ChatMessage[] {
  return messages.map((message) =>
    message.role === 'system'
      ? message
      : { ...message, content: breakControlStrings(message.content, controls) },
  )
}

/** Undoes it in what a model wrote: a file that it copies gets its own bytes back. */
export function mendControlStrings(text: string): string {
  return text.replace(broken, '$1')
}

/** Undoes it in everything that a model says. */
export async function* mendEvents(
  events: AsyncGenerator<ModelEvent, void, void>,
): AsyncGenerator<ModelEvent, void, void> {
  let last = ''
  for await (const event of events) {
    if (event.type === 'text') {
      // The joiner may come apart from its bracket.
      const text = mendControlStrings(last + event.text).slice(last.length)
      last = event.text.at(-1) ?? last
      if (text !== '') yield { type: 'text', text }
    } else if (event.type === 'replace') yield { ...event, text: mendControlStrings(event.text) }
    else if (event.type === 'tool-call') {
      const { call } = event
      yield { ...event, call: { ...call, arguments: mendControlStrings(call.arguments) } }
    } else yield event
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
