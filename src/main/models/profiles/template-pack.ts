import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import type {
  ChatMessage,
  ChatRequest,
  CompletionRequest,
  Prompt,
  PromptSegment,
} from '../client/model-client.ts'

/** Loads every pack in a folder, by id. Errors: throws for a file that is not a pack, a bug of the installation. */
export async function loadTemplates(folder: string): Promise<ReadonlyMap<string, TemplatePack>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()
  const packs = await Promise.all(
    names.map(async (name) => TemplatePack.parse(JSON.parse(await readSmallText(join(folder, name))))),
  )
  return new Map(packs.map((pack) => [pack.id, pack]))
}

/** Puts the markers around a question and the beginning of its answer; only the markers are special. */
export function applyTemplate(pack: TemplatePack, inner: string, suffix: string): Prompt {
  const [before = '', rest = ''] = pack.wrapper.split('{{inner}}')
  const [between = '', after = ''] = rest.split('{{suffix}}')
  return present([
    { text: before, isSpecial: true },
    { text: inner, isSpecial: false },
    { text: between, isSpecial: true },
    { text: suffix, isSpecial: false },
    { text: after, isSpecial: true },
  ])
}

/** Renders a conversation with the same wrapper: instructions of the system are put before the next question. */
export function renderChat(pack: TemplatePack, messages: readonly ChatMessage[]): Prompt {
  const segments: PromptSegment[] = []
  let question: string[] = []
  const ask = (answer: string) => {
    segments.push(...applyTemplate(pack, question.join('\n\n'), answer))
    question = []
  }
  for (const { role, content } of messages) {
    if (role === 'assistant') {
      ask(content)
      segments.push({ text: pack.turnEnd ?? '', isSpecial: true })
    } else question.push(content)
  }
  if (question.length > 0) ask('')
  return present(segments)
}

/** Returns the completion that the template makes of a conversation. */
export function chatCompletion(
  { messages, ...rest }: ChatRequest,
  template: TemplatePack,
): CompletionRequest {
  return { ...rest, stops: [...rest.stops, ...template.stops], prompt: renderChat(template, messages) }
}

function present(segments: PromptSegment[]): Prompt {
  return segments.filter((segment) => segment.text !== '')
}

/** Returns the pack that a chat template belongs to, by a marker that only its family has; null where there is none. */
export function guessTemplateId(chatTemplate: string | null): string | null {
  if (chatTemplate === null) return null
  const markers: [string, string][] = [
    ['<|im_start|>', 'chatml'],
    ['<|start_header_id|>', 'llama3'],
    ['<start_of_turn>', 'gemma'],
    ['[INST]', 'mistral'],
    ['### Instruction', 'alpaca'],
  ]
  return markers.find(([marker]) => chatTemplate.includes(marker))?.[1] ?? null
}
