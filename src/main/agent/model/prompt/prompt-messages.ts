import { imageLine, imageTokens } from '../../../../shared/domain/image/attached-image.ts'
import type { SentMessage } from '../../../../shared/domain/session/session.ts'
import { fenced } from '../../../../shared/text/manuscript/fenced.ts'
import type {
  ChatImage,
  ChatMessage,
  ToolCall,
  ToolDeclaration,
} from '../../../models/client/model-client.ts'
import type { AgentPrompts } from '../../../prompts/agent-prompts.ts'
import { isFields, parsedJson } from '../../decision/decision-text.ts'
import { cutOf, cutText, type PromptCut } from './prompt-cut.ts'
import type { PromptEntry } from './prompt-entry.ts'
import { callsText, toolsText } from './tool-text.ts'

/** Format of the prompt for the model in use. The same for a whole session, so that its prompt only ever grows. */
export type Rendering = {
  prompts: AgentPrompts
  tools: readonly ToolDeclaration[]
  /** Calls and results in the API's own form; else as JSON text and wrapped text. */
  isNative: boolean
  /** The model works on the direct path: the head of the prompt then says how to work. */
  isDirect?: boolean
  /** Only what this model itself thought before its calls is sent back. */
  modelName?: string
  /** Reads the bytes of an image as base64. Absent: the model takes no images; the prompt says that there is one. */
  readImage?: (imageId: string) => Promise<string>
}

type PartKind = 'base' | 'tools' | 'instructions' | 'summary' | 'messages' | 'files' | 'results' | 'blocks'

/** A part of the prompt of one kind. */
type PromptPart = { kind: PartKind; text: string; imageTokens?: number }

export type RenderedPrompt = {
  messages: ChatMessage[]
  /** Undefined where they stand in the system message. */
  tools: readonly ToolDeclaration[] | undefined
  parts: PromptPart[]
  /** For the context viewer; without tokens yet. */
  sent: SentMessage[]
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>

type Piece = {
  role: ChatMessage['role']
  kind: string
  part: PartKind
  text: string
  toolCalls?: ToolCall[]
  reasoning?: AssistantMessage['reasoning']
  callId?: string
  images?: readonly ChatImage[]
}

const separator = '\n\n'

/**
 * Renders a log as the messages that are sent: the same log gives the same bytes, and the bytes of a longer log begin
 * with those of the shorter one.
 *
 * Shape: one system message first (base, policy, tools in words, instructions); neighbours of one role are one
 * message. A call without a result yet gets a line that says so; a result that comes later is sent as text.
 */
export function renderLog(log: readonly PromptEntry[], rendering: Rendering): RenderedPrompt {
  const head = headPieces(log, rendering)
  const pieces = [...head, ...bodyPieces(log, rendering)]
  const messages: ChatMessage[] = []
  const sent: SentMessage[] = []
  for (const piece of pieces) {
    if (!joinTo(messages.at(-1), sent.at(-1), piece)) begin(messages, sent, piece)
  }
  const isDeclared = rendering.isNative && rendering.tools.length > 0
  const declared = isDeclared ? JSON.stringify(rendering.tools) : ''
  const parts = pieces.map(({ part, text, toolCalls = [], reasoning, images }) => ({
    ...(images && { imageTokens: tokensOf(images) }),
    kind: part,
    text: (reasoning?.text ?? '') + text + toolCalls.map((call) => call.name + call.arguments).join(''),
  }))
  return {
    messages,
    tools: isDeclared ? rendering.tools : undefined,
    parts: isDeclared ? [...parts, { kind: 'tools', text: declared }] : parts,
    sent: isDeclared ? [...sent, { role: 'system', kind: 'tools', text: declared, tokens: null }] : sent,
  }
}

function headPieces(log: readonly PromptEntry[], rendering: Rendering): Piece[] {
  const { prompts, tools, isNative } = rendering
  const system = (part: PartKind, text: string): Piece => ({ role: 'system', kind: part, part, text })
  const rules = leading(log).map(({ text }) => prompts.render('instructions', { text }))
  return [
    system('base', prompts.render('base', {})),
    system('base', prompts.render('policy', {})),
    ...(rendering.isDirect === true ? [system('base', prompts.render('direct', {}))] : []),
    ...(isNative || tools.length === 0
      ? []
      : [system('tools', prompts.render('tools', { tools: toolsText(tools) }))]),
    ...rules.map((text) => system('instructions', text)),
  ]
}

/** Returns the instructions that precede all other entries; later ones (trust came late) stay in their place. */
function leading(log: readonly PromptEntry[]): PromptEntry[] {
  const end = log.findIndex(({ kind }) => kind !== 'instructions' && kind !== 'base')
  const first = end < 0 ? log : log.slice(0, end)
  return first.filter(({ kind }) => kind === 'instructions')
}

function bodyPieces(log: readonly PromptEntry[], rendering: Rendering): Piece[] {
  const cut = cutOf(log)
  const head = new Set(leading(log))
  const answered = new Set<PromptEntry>()
  return log.flatMap((entry, index) => {
    if (head.has(entry) || answered.has(entry) || entry.kind === 'base' || entry.kind === 'cut') return []
    // A call without a name could not be read: no server accepts it.
    const calls = (entry.calls ?? []).filter(({ name }) => name !== '')
    if (!rendering.isNative || calls.length === 0) return pieceOf(entry, index, log, cut, rendering)
    const results = resultsAfter(log, index)
    const tools = calls.map(({ callId }): Piece => {
      const found = results.find(({ result }) => result.callId === callId)
      const tool = { role: 'tool', kind: 'result', part: 'results', callId } as const
      if (found === undefined) return { ...tool, text: rendering.prompts.outcomes.pending }
      answered.add(found.result)
      return { ...tool, text: bodyText(found.result, found.index, cut, rendering) }
    })
    // The API accepts images in user messages only: images of results follow all results.
    const shown = results.flatMap(({ result, index: at }) =>
      imagePieces(result, cut.entries.includes(at), 'results', rendering),
    )
    const { thought } = entry
    const isOwn = thought?.modelName === rendering.modelName && !cut.entries.includes(index)
    const reasoning = thought !== undefined && isOwn ? { reasoning: thought } : {}
    const said = { ...assistant(entry, entry.text), ...reasoning, toolCalls: calls.map(nativeCall) }
    return [said, ...tools, ...shown]
  })
}

/** Returns the results that follow an answer before anything else is sent. */
function resultsAfter(log: readonly PromptEntry[], at: number): { result: PromptEntry; index: number }[] {
  const found: { result: PromptEntry; index: number }[] = []
  for (let index = at + 1; index < log.length; index++) {
    const entry = log[index]
    if (entry === undefined || !['result', 'note', 'cut'].includes(entry.kind)) break
    if (entry.kind === 'result') found.push({ result: entry, index })
  }
  return found
}

function pieceOf(
  entry: PromptEntry,
  index: number,
  log: readonly PromptEntry[],
  cut: PromptCut,
  rendering: Rendering,
): Piece[] {
  const { prompts } = rendering
  const text = bodyText(entry, index, cut, rendering)
  const user = (part: PartKind, shown: string): Piece[] =>
    shown === '' ? [] : [{ role: 'user', kind: entry.kind, part, text: shown }]
  switch (entry.kind) {
    case 'decision':
    case 'reply':
    case 'work': {
      const calls = entry.calls === undefined || rendering.isNative ? '' : callsText(entry.calls)
      const whole = [text, calls].filter((part) => part !== '').join('\n')
      return whole === '' ? [] : [assistant(entry, whole)]
    }
    case 'result': {
      const call = log.flatMap(({ calls = [] }) => calls).find(({ callId }) => callId === entry.callId)
      return [
        ...user('results', prompts.render('result', { name: call?.name ?? entry.callId ?? '', text })),
        ...imagePieces(entry, cut.entries.includes(index), 'results', rendering),
      ]
    }
    case 'summary':
      return user('summary', text === '' ? '' : prompts.render('summary', { text }))
    case 'instructions':
      return user('instructions', prompts.render('instructions', { text }))
    case 'file':
      if (entry.images !== undefined) {
        const isCut = cut.entries.includes(index)
        return isCut ? user('files', text) : imagePieces(entry, false, 'files', rendering)
      }
      return user('files', text === entry.text ? fenced(text) : text)
    case 'block':
    case 'surroundings':
      return user('blocks', text)
    default:
      return user('messages', text)
  }
}

/** Returns an entry's images with a line for each; where the model takes none, a text that says so. */
function imagePieces(
  { images = [], kind }: PromptEntry,
  isCut: boolean,
  part: PartKind,
  { readImage, prompts }: Rendering,
): Piece[] {
  if (images.length === 0 || isCut) return []
  const names = images.map(imageLine).join('\n')
  const common = { role: 'user', kind, part } as const
  if (readImage === undefined) return [{ ...common, text: prompts.render('unseen-image', { names }) }]
  const shown = images.map(({ imageId, mediaType, ...size }) => ({
    imageId,
    mediaType,
    tokens: imageTokens(size),
    read: () => readImage(imageId),
  }))
  return [{ ...common, text: names, images: shown }]
}

/** Returns the size of images. Units: tokens, an estimate. */
export function tokensOf(images: readonly Pick<ChatImage, 'tokens'>[]): number {
  return images.reduce((sum, { tokens }) => sum + tokens, 0)
}

function bodyText(entry: PromptEntry, index: number, cut: PromptCut, rendering: Rendering): string {
  return cutText(entry, index, cut, rendering.prompts.render('cut-result', {}))
}

function assistant(entry: PromptEntry, text: string): Piece {
  return { role: 'assistant', kind: entry.kind, part: 'messages', text }
}

/** Returns a call in the API's form. Servers parse the arguments of past calls: what is no object becomes `{}`. */
function nativeCall({ callId, name, args }: NonNullable<PromptEntry['calls']>[number]): ToolCall {
  return { id: callId, name, arguments: isFields(parsedJson(args)) ? args : '{}' }
}

/** Appends a piece to the last message where it can; returns whether it did. */
function joinTo(last: ChatMessage | undefined, shown: SentMessage | undefined, piece: Piece): boolean {
  if (last === undefined || shown === undefined || last.role !== piece.role) return false
  if (last.role === 'tool' || piece.toolCalls !== undefined) return false
  if (last.role === 'assistant' && last.toolCalls !== undefined) return false
  last.content += separator + piece.text
  if (last.role === 'user' && piece.images !== undefined)
    last.images = [...(last.images ?? []), ...piece.images]
  shown.text = last.content
  if (!shown.kind.split('+').includes(piece.kind)) shown.kind += `+${piece.kind}`
  return true
}

function begin(messages: ChatMessage[], sent: SentMessage[], piece: Piece): void {
  const { role, kind, text, toolCalls, reasoning, callId = '', images } = piece
  if (role === 'tool') messages.push({ role, callId, content: text })
  else if (role === 'assistant' && toolCalls !== undefined)
    messages.push({
      role,
      content: text,
      toolCalls,
      ...(reasoning && { reasoning: { field: reasoning.field, text: reasoning.text } }),
    })
  else if (role === 'user') messages.push({ role, content: text, ...(images && { images }) })
  else messages.push({ role, content: text })
  const calls = (toolCalls ?? []).map((call) => `${call.name} ${call.arguments}`)
  sent.push({
    role,
    kind,
    text: [reasoning?.text ?? '', text, ...calls].filter((line) => line !== '').join('\n'),
    tokens: null,
  })
}
